"""Frequent English words: never a misspelled name, and never a person's surname on its own."""

_ORDINARY = """
able about above absolutely accent across acting active actor actors actress actresses actual
actually added adult adults afraid after afternoon again against agree ahead alike alive allow
allowed almost alone along already alright also although always amazing among angel angels anger
angry animal animals annoyed annoying another answer anybody anyhow anymore anyone anything
anytime anyway anyways anywhere apart apparently appeal appealing appear appears apple appreciate
appropriate archer area aren around artist asked asking aspect assistant atmosphere attack
audience autumn available average avoid avoiding awake award awards aware away awesome awful
awhile baby badly baker ball bank banks based basic basically battle beach bear beautiful beauty
became because become becoming been before began begin beginning behind being believe believes
bell below berry best better between beyond biggest bird birds birth birthday bishop bitten black
blame blank blind block blood bloody blow board boat body bond bonus book books bored boring born
both bother bottom bought bound bowl boys brain brand brave break breaking bridge brief bright
brilliant bring brings broken brooks brother brothers brought brown brush budget build building
built bunch burn burns burton business busy butcher button cage calls calm came camera candy
cannon cannot cant captain card care career careful carpenter carry cars carter cartoonish case
cash cast castle catch caught cause cave certain certainly chain chance change changed changes
channel character characters charm charming chase cheap check cheers cheese cheesy chess chick
chief child childhood children choice choices choose christian christmas church cinema circle
circus city claim class clean clear clearly clever click climb clock close closed closer clothes
cloud clown club clue coach coast coffee cold collection college color colour come comes comfort
coming common company compared complete completely complex computer concept concern confused
connect consider constantly contain content control cook cool cooper copy corner correct cost
could couldn count country couple courage course court cousin cover craft crane crap crash crazy
cream create created creative creature creepy crew cried critic cross crowd cruise cruz cry
culture cup curious current currently curry cute dance dancing danger dangerous daniels dare
daughter days dead deal death decade decades decent decide decided deep deeper define definetly
definitely delight depends depth describe desert design desire despite detail details develop
device devil diamond did didn died different difficult dinner direct directed directing direction
director directors disappoint disappointed disaster disney doctor does doesn dogs doing done dont
door double doubt down dragon dragons draw drawn dream dreams dress drink drive driver drop drug
drugs drunk during each earlier early earth easier easily easy edge effect effects effort eight
either elements elevator else elsewhere emotion emotional emotions empty encounter ending endings
ends enemy energy engaging enjoy enjoyable enjoyed enjoying enjoys enough entertain entertaining
entertainment entire entirely episode equal especially even evening event events ever every
everybody everyday everyone everything everywhere evil exact exactly example excellent except
exchange excited excitement exciting exist existing expect experience explain express extra
extremely eyes face fact factor fair fairly fairy faith fall familiar famous fancy fantastic farm
farmer fashion fast father fault favorite favorites favourite favourites fear feature featured
features featuring feedback feel feeling feelings feels fell fellow felt female festive field
fields fifteen fight fighting figure fill film films final finally find finding fine finger finish
finished fire first fish fisher fits five flash flat flight floor flow flower flowers fly focus
folks follow followed following food foot football force foreign forest forever forget forgot
forgotten form foster four fourth fox frame frank freak free freeman fresh friend friendly friends
friendship from front frost fruit full fully fun further future game games garden gardner gave
general generally genius genre genres gentle gets getting ghost ghosts giant gift girl girls give
given gives giving glad glass glover goes going gold golden gone gonna good goofy gore gory gotta
grace grand grandma grandpa grant grass gray great green greene grew grey gross ground group grow
growing grown guess guest guide gun gunn guys hair half hall hand handle hands handsome hang
happen happened happens happy hard hardly hardy harris hate hated have haven having hawk head
heading headlines health hear heard heart heat heaven heavy held hell hello help helped helpful
helps here hero heroes hey hidden high higher highly hill hills himself hint historical hold hole
holiday holidays holland holy home honest honestly honor hooked hope hopefully hopes hoping horse
hospital host hotel hour hours house however hudson huge human humanity humans hunt hunter hurry
hurt husband idea ideal ideally ideas image imagine impact important in-depth include included
includes including insight inspired inspiring instead intense interest interested interesting
intriguing involved involves island isn issue issues item itself jackson jealous jewel jobs join
joke jokes jordan journey joy judge jump junk just justice keen keep keeping kept kicks kidding
kids killer killing kind kinda kinds king kings kiss kitchen knew knife knight knights know
knowing known knows lack ladies lady lake lamb land lane language large last late lately later
latest laugh laughing laughs laughter law lead leading leads learn learned least leave leaving
left legend legends less lesson lessons letter level library lies life light lighthearted like
liked likely likes line lines link list listen literally little live lived lives living loads
local locked logan long longer look looked looking looks lord lose losing loss lost lots loud love
loved lovely lover loves loving lower luck lucky lunch machine made magic magical main mainly
major make makes making male manage manner many march mark market marriage married mars marsh
marshall martial marvel mason master match matches matter matters mature maybe mayor meal mean
meaning means meant meet meeting member memory mention mentioned mercer message middle might miles
military mill miller mind minds mine minute minutes miss missed missing mistake mixed modern
moment moments money monster monsters month months mood moore moral more morning morris most
mostly mother mountain mouse move movie movies moving much mum murder must myself mysterious naked
name named names nation nature near nearby nearly necessary need needed needs never news next nice
night nights noble nobody noise none nope normal normally north note nothing notice novel number
obvious obviously ocean office often okay older once ones online only onto open opening opinion
option options order original oscar other others otherwise ourselves outside over overall owner
pace page paint pair palace panic paper parent parents park parker part partner parts party pass
passed past patience patient pause peace people perfect perfectly perform perhaps period person
personal personally phase phone photo pick picked picks picky picture pictures piece pierce pilot
pitch place planet planning plans platform play played player playing plays please pleased plenty
plot plots plus pocket point police polite political pool poor pope popular porter positive
possible possibly post potter powder power powerful powers practice prefer preferably preference
preferences preferred presence present pretty prevent price pride priest prince princess prior
prison private probably problem problems process produce program project promise proper protect
prove provide public pull pure purpose push puts putting quality queen question questions quick
quicker quickly quiet quite quote race radio rain raise ramsey random range rated rather rating
ratings reach read reader readers reading ready real realise realistic reality realize really
reason reasons recall recent recently recommend recommendation recommendations recommended
recommending record reed reference regarding regular relate related relationship relax relaxed
relaxing release released relevant remember remind reminds remove request respect rest restriction
restrictions result return review reviews rice rich ride right ring rise river rivers road rock
role roles romans room rose rough round rule rules running runs rush safe sage said sail saint
same sand saturday saved saving saw saying says scale scare scared scares scene scenes school
score screen script search searching season seat second secret section seeing seek seem seemed
seems seen select selection self sense separate sequel series serious seriously serve service
session setting settings seven several shade shadow shall shame shape share shark sharp sheep
shepherd shine ship shirt shock shocking shoes shoot shop shore short shorter should shouldn show
showed showing shown shows sick side sight sign silly silver similar simple simply since sing
singer singing single sister sitting situation six skip sleep slight slightly slow slower slowly
small smart smile smith snow social soft solid some somebody somehow someone something sometime
sometimes somewhat somewhere song songs soon sorry sort sorts soul sound sounds soundtrack source
south space speak special specially specific specifically speed spend spirit spooky spot spring
spy square staff stage stand standard standards star starred starring stars start started starting
starts state states stay steel step stick still stock stone stop stops store stories storm story
storyline straight strange stranger streaming street stress strike string strong struggle stuck
studio study stuff stunt stupid style subject subtle such sucks suggest suggested suggestion
suggestions suggests suit summer sunday sunny super supernatural support supporting suppose
supposed sure surely surprise surprised sweet swim sword sync system table tail take taken takes
taking tale tales talk talked talking tall task taste tate taylor teach teacher team tears teen
teenage teenager teenagers teens tell telling tend tense terms terrible test than thank thanks
that thats theater theaters theatre their them theme themed themes then there therefore these
thing things think thinking third this thomas those though thought thoughts three thrill thrills
through throughout throw thus tied tight till time times tiny tired title today together told
tomorrow tone tonight tony took topic total totally touch tough tour toward towards tower town
toys trace track trade tragic trailer train travel travelling treat tree trees tried trip trouble
truck true truly trust truth trying turn turned turner turns twelve twenty twice twist twisted
twists type types typical ugly unable uncle under understand unfortunately unique universe unless
unlike until upon upper upset used user uses using usual usually valley value variety various vast
version very video view viewer viewing village vintage violence violent visit visual voice wait
waiting walk walker wall walls want wanted wanting wants ward warm warner wasn waste watch watched
watches watching water waters weak weather webb website week weekend weeks weird welcome well went
were weren west wheel when whenever where whereas whether which while white whole whose wide wife
wild will willing wind window wine wing winter wise wish wishes with within without witty wolf
woman women wonder wonderful wondering wood woods word words work worked working works world
worried worry worse worst worth would wouldn write writer writing written wrong yeah year years
yellow yesterday york young younger your yours yourself youth zombie zombies
"""
ORDINARY = frozenset(_ORDINARY.split())
