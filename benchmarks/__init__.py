"""How fast the project is, measured against plain references."""
