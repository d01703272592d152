"""Gymnasium environments in which a dialogue with a simulated user is an episode.

Importing this package registers the ids, so ``gym.make("envs:CRS/Redial-v0")`` works as it is.
"""

from gymnasium.envs.registration import register

_ENTRY = "envs.crs:CRSEnv"

register(id="CRS/Redial-v0", entry_point=_ENTRY, kwargs={"name": "redial"})
register(id="CRS/OpenDialKGMovie-v0", entry_point=_ENTRY, kwargs={"name": "opendialkg_movie"})
register(id="CRS/OpenDialKGBook-v0", entry_point=_ENTRY, kwargs={"name": "opendialkg_book"})
register(id="CRS/Custom-v0", entry_point=_ENTRY, kwargs={"name": "custom"})
