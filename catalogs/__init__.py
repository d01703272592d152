"""Catalogues of items: domains, loaders, goals and their splits."""
