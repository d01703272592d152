"use strict";
// Transcripts of a comparison: filters, a list, and dialogues with their trees, made on demand.
// Everything that comes from the data is written with textContent, so that it stays text.
(() => {
  const PIECE = 25, PAGE = 50, KEPT = 12, NODES = 3000;
  const byId = (id) => document.getElementById(id);

  function el(tag, properties = {}, ...children) {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(properties)) {
      if (key === "class") node.className = value;
      else if (key in node) node[key] = value;
      else node.setAttribute(key, value);
    }
    node.append(...children.filter((child) => child !== null && child !== ""));
    return node;
  }
  const said = (text, name = "") => el("bdi", { class: name, textContent: text });
  const number = (value) => (value === null || value === undefined ? "–" : String(value));
  const isObject = (found) => found !== null && typeof found === "object" && !Array.isArray(found);
  const listed = (found) => (Array.isArray(found) ? found.join(", ") : String(found ?? ""));
  // Other methods may use the trees' names for something else.
  const isTree = (node, ...branches) => isObject(node) && branches.every((name) => {
    const inner = node[name] ?? [];
    return Array.isArray(inner) && inner.every((one) => isTree(one, ...branches));
  });

  // Pieces: base64 of compressed JSON, opened when they are needed.
  const opened = new Map();
  async function open(id) {
    if (opened.has(id)) return opened.get(id);
    const holder = byId(id);
    if (!holder) return null;
    const bytes = Uint8Array.from(atob(holder.textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const value = JSON.parse(await new Response(stream).text());
    opened.set(id, value);
    if (opened.size > KEPT) opened.delete(opened.keys().next().value);
    return value;
  }

  // Unfolding: what is inside is made the first time it is opened.
  function unfolding(summary, make, name = "") {
    const node = el("details", { class: name }, el("summary", {}, ...summary));
    let made = false;
    node.unfold = () => {
      if (made) return;
      made = true;
      node.append(...make());
    };
    node.addEventListener("toggle", () => { if (node.open) node.unfold(); });
    return node;
  }

  function unfoldAll(top) {
    const waiting = [...top.querySelectorAll("details")];
    if (top.tagName === "DETAILS") waiting.unshift(top);
    for (let k = 0; k < waiting.length && k < NODES; k += 1) {
      const node = waiting[k];
      if (node.unfold) node.unfold();
      node.open = true;
      for (const inner of node.querySelectorAll("details")) {
        if (!waiting.includes(inner)) waiting.push(inner);
      }
    }
  }

  function bar(share, label) {
    const node = el("meter", { min: 0, max: 1, value: Math.max(0, Math.min(1, share || 0)) });
    node.setAttribute("aria-label", label);
    return node;
  }

  function grid(heads, rows) {
    const head = el("tr", {}, ...heads.map((h) => el("th", { scope: "col", textContent: h })));
    const body = rows.map((row) => el("tr", { class: row.chosen ? "chosen" : "" }, ...row.cells.map(
      (cell, k) => el(k ? "td" : "th", k ? {} : { scope: "row" }, cell instanceof Node ? cell : said(number(cell))))));
    return el("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": heads.join(", ") },
      el("table", {}, el("thead", {}, head), el("tbody", {}, ...body)));
  }

  // The elicitation tree: decisions (system) and what the imagined user answers.
  function decision(node, names) {
    const total = node.visits || 1;
    return (node.actions || []).map((action) => {
      const name = names[action.action] || `action ${action.action}`;
      const label = [bar(action.visits / total, `share of visits of ${name}`), said(name, "act"), el("span", {
        class: "nums",
        textContent: `visits ${number(action.visits)} · value ${number(action.value)} · prior ${number(action.prior)}`,
      })];
      const outcomes = action.outcomes || [];
      if (!outcomes.length) return el("div", { class: "leaf" }, ...label);
      return unfolding(label, () => outcomes.map((outcome) => {
        const heard = ["user: ", said(outcome.observation), el("span", {
          class: "nums", textContent: `visits ${number(outcome.visits)} · value ${number(outcome.value)}`,
        })];
        if (!(outcome.actions || []).length) return el("div", { class: "leaf" }, ...heard);
        return unfolding(heard, () => decision(outcome, names), "node");
      }), "node");
    });
  }

  function elicitation(found) {
    const names = found.actions || [];
    const rows = names.map((name, k) => ({
      chosen: k === found.chosen,
      cells: [k === found.chosen ? `✓ ${name}` : name, ...["priors", "visits", "values", "scores"].map((key) => (found[key] || [])[k])],
    }));
    const changed = found.changed_decision ? "the search changed the prior’s decision" : "the search kept the prior’s decision";
    const tree = el("div", { class: "tree elicitation-tree" }, ...decision(found.tree, names));
    return el("section", { class: "elicitation" },
      el("h5", { textContent: `Elicitation tree: ${number(found.simulations)} simulations; ${changed}` }),
      grid(["Action", "Prior", "Visits", "Value", "Score"], rows), tree);
  }

  // The exploitation tree: queries and their refinements.
  function query(node) {
    const label = [said(node.strategy || "", "act"), said(node.query === "" ? "(empty query)" : node.query), el("span", {
      class: "nums", textContent: `score ${number(node.score)} · visits ${number(node.visits)} · first item `,
    }), said(number(node.top), "nums")];
    const children = node.children || [];
    if (!children.length) return el("div", { class: "leaf" }, ...label);
    const holder = unfolding(label, () => children.map(query), "node");
    return holder;
  }

  function exploitation(found) {
    return el("section", { class: "exploitation" },
      el("h5", {}, "Exploitation tree: chosen refinement ", said(number(found.chosen))),
      el("div", { class: "tree exploitation-tree" }, query(found.tree)));
  }

  function belief(weights) {
    const rows = weights.map((weight, k) => ({
      cells: [`profile ${k + 1}`, bar(weight, `belief in profile ${k + 1}`), weight],
    }));
    return el("section", { class: "belief" }, el("h5", { textContent: "Belief about the user’s behaviour" }),
      grid(["Profile", "", "Weight"], rows));
  }

  function value(found) {
    if (found === null || typeof found !== "object") return said(number(found), "value");
    const entries = Array.isArray(found) ? found.map((inner, k) => [String(k + 1), inner]) : Object.entries(found);
    if (!entries.length) return said(Array.isArray(found) ? "(none)" : "(empty)", "value");
    if (entries.every(([, inner]) => inner === null || typeof inner !== "object") && Array.isArray(found)) {
      return said(found.map(number).join(", "), "value");
    }
    return el("dl", { class: "values" }, ...entries.flatMap(([key, inner]) => {
      const deep = inner !== null && typeof inner === "object" && JSON.stringify(inner).length > 160;
      const shown = deep ? unfolding([said(Array.isArray(inner) ? `${inner.length} entries` : "unfold")], () => [value(inner)], "node") : value(inner);
      return [el("dt", {}, said(key)), el("dd", {}, shown)];
    }));
  }

  function trace(found) {
    if (!isObject(found)) return [value(found)];
    const rest = Object.create(null), parts = [];
    const order = ["elicitation", "exploitation", "belief"];
    const place = ([key]) => (order.indexOf(key) + order.length + 1) % (order.length + 1);
    for (const [key, inner] of Object.entries(found).sort((a, b) => place(a) - place(b))) {
      if (key === "elicitation" && isObject(inner) && isTree(inner.tree, "actions", "outcomes") && Array.isArray(inner.actions)) parts.push(elicitation(inner));
      else if (key === "exploitation" && isObject(inner) && isTree(inner.tree, "children")) parts.push(exploitation(inner));
      else if (key === "belief" && Array.isArray(inner) && inner.every((w) => typeof w === "number")) parts.push(belief(inner));
      else rest[key] = inner;
    }
    if (Object.keys(rest).length) parts.push(value(rest));
    const all = el("button", { type: "button", class: "quiet unfold-all", textContent: "Unfold everything" });
    const holder = el("div", { class: "trace" }, all, ...parts);
    all.addEventListener("click", () => unfoldAll(holder));
    return [holder];
  }

  // One dialogue.
  function line(who, text, note) {
    return el("div", { class: `line ${who}` }, el("div", { class: "who" }, who === "user" ? "User" : "System", note || ""),
      text ? said(text, "text") : el("span", { class: "text silent", textContent: "(no text)" }));
  }

  function facts(turn) {
    const kept = {};
    if (turn.item !== undefined) kept["Item"] = turn.item;
    if (turn.values) kept["Item’s values"] = Object.fromEntries(Object.entries(turn.values).map(([k, v]) => [k, listed(v)]));
    if (turn.query !== undefined) kept["Query"] = turn.query;
    if (turn.rank) kept["Ranking"] = turn.rank.join(", ");
    if (turn.best) kept["Retrieved before the turn"] = turn.best.join(", ");
    if (turn.known) kept["Preferences tracked"] = turn.known;
    if (turn.said) kept["What the user meant"] = turn.said.join("; ");
    if (turn.r) kept["Rewards"] = turn.r;
    if (turn.changed !== undefined) kept["Search changed the decision"] = turn.changed ? "yes" : "no";
    return kept;
  }

  function oneTurn(turn, k, found) {
    const note = el("span", { class: "act" }, ` ${k + 1} · `, said(turn.a), turn.illegal ? " (illegal choice)" : "");
    const parts = [line("system", turn.s, note)];
    parts.push(unfolding(["Known, meant, rewarded"], () => [value(facts(turn))], "more"));
    if (found) parts.push(unfolding(["How it was decided"], () => trace(found), "more decided"));
    parts.push(line("user", turn.u));
    return el("li", {}, ...parts);
  }

  async function dialogue(row) {
    const [run, place] = row;
    const piece = Math.floor(place / PIECE), at = place % PIECE;
    const texts = await open(`texts-${run}-${piece}`);
    if (!texts) return [el("p", { textContent: "This transcript was left out to keep the page small." })];
    const found = texts[at];
    const traces = row[10] ? await open(`traces-${run}-${piece}`) : null;
    const goal = isObject(found.goal) ? Object.entries(found.goal).map(([k, v]) => `${k}: ${listed(v)}`).join("; ") : "unknown";
    const parts = [
      el("p", { class: "goal" }, "Goal: ", said(goal), ` · ${found.targets.length === 1 ? "target" : `${found.targets.length} targets`}: `, said(found.targets.slice(0, 8).join(", ") + (found.targets.length > 8 ? ", …" : ""))),
    ];
    if (row[10] && !traces) parts.push(el("p", { class: "notes", textContent: "Its traces were left out to keep the page small." }));
    if (found.opening) parts.push(line("user", found.opening));
    parts.push(el("ol", { class: "turns" }, ...found.turns.map((turn, k) => oneTurn(turn, k, traces && traces[at][k]))));
    if (found.failure) parts.push(el("p", { class: "notes" }, "Failed: ", said(found.failure)));
    const same = el("button", { type: "button", class: "quiet", textContent: "The same dialogue by every method" });
    same.addEventListener("click", () => {
      byId("filters").reset();
      byId("f-seed").value = String(row[2]);
      byId("f-episode").value = String(row[3]);
      show();
      byId("transcripts").scrollIntoView();
    });
    parts.push(same);
    return parts;
  }

  // The list and its filters.
  let index = null, found = [], shown = 0;
  const COLUMNS = { seed: 2, persona: 4, goal: 5, outcome: 6 };
  const wanted = (id) => byId(`f-${id}`).value;

  function matches(row) {
    if (wanted("method") !== "" && String(index.runs[row[0]].m) !== wanted("method")) return false;
    for (const [name, column] of Object.entries(COLUMNS)) {
      if (wanted(name) !== "" && String(row[column]) !== wanted(name)) return false;
    }
    if (wanted("success") !== "" && String(row[7]) !== wanted("success")) return false;
    if (wanted("episode") !== "" && String(row[3]) !== String(Number(wanted("episode")))) return false;
    return !byId("f-traced").checked || Boolean(row[10]);
  }

  function entry(row) {
    const node = el("details", { class: "dialogue" }, el("summary", {},
      el("span", { class: row[7] ? "mark yes" : "mark no", textContent: row[7] ? "✓" : "✗" }),
      el("span", { class: "hidden", textContent: row[7] ? "success" : "no success" }),
      said(index.methods[index.runs[row[0]].m], "name"),
      el("span", { textContent: `seed ${row[2]} · episode ${row[3]}` }),
      said(row[4] === null ? "unknown" : row[4]),
      el("span", { textContent: row[5] === null ? "" : `goal ${row[5]}` }),
      el("span", {}, said(row[6]), ` after ${row[8]} turns · return ${row[9]}`)));
    let asked = false;
    node.addEventListener("toggle", async () => {
      if (!node.open || asked) return;
      asked = true;
      const body = el("div", { class: "body", "aria-busy": "true" }, "…");
      node.append(body);
      try {
        body.replaceChildren(...await dialogue(row));
      } catch (error) {
        body.textContent = `This transcript cannot be shown: ${error.message}`;
      }
      body.removeAttribute("aria-busy");
    });
    return node;
  }

  function more() {
    byId("dialogues").append(...found.slice(shown, shown + PAGE).map(entry));
    shown = Math.min(found.length, shown + PAGE);
    byId("more").hidden = shown >= found.length;
    byId("count").textContent = `${found.length} of ${index.rows.length} dialogues; ${shown} listed`;
  }

  function show() {
    found = index.rows.filter(matches);
    shown = 0;
    byId("dialogues").replaceChildren();
    more();
  }

  function options(id, values, label = String) {
    for (const one of values) byId(`f-${id}`).append(el("option", { value: String(one), textContent: label(one) }));
  }

  async function start() {
    if (typeof DecompressionStream === "undefined") {
      byId("count").textContent = "This browser is too old to show the transcripts (no DecompressionStream).";
      return;
    }
    index = await open("index");
    const values = (column) => [...new Set(index.rows.map((row) => row[column]))].sort((a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a) < String(b) ? -1 : 1));
    options("method", index.methods.keys(), (k) => index.methods[k]);
    options("seed", values(2));
    options("persona", values(4), (name) => (name === null ? "unknown" : name));
    options("goal", values(5), (goal) => (goal === null ? "unknown" : String(goal)));
    options("outcome", values(6));
    options("success", [1, 0], (yes) => (yes ? "yes" : "no"));
    const form = byId("filters");
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("change", (event) => { if (event.target.id !== "f-episode") show(); });
    byId("f-episode").addEventListener("input", show);
    form.addEventListener("reset", () => setTimeout(show, 0));
    byId("more").addEventListener("click", more);
    show();
    document.documentElement.dataset.ready = "true";
  }
  start().catch((error) => { byId("count").textContent = `The transcripts cannot be read: ${error.message}`; });
})();
