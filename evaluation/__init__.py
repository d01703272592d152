"""Running policies over environments: records, metrics, statistics, tables and curves."""
