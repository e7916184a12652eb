"""What may happen to an image until it is there, and how often it does."""

from render_damaged import damaged_finished, damaged_shares, damaged_unfinished
from render_plain import plain, refused_memory, rivals
from render_stopped import resumed, shares

# In these a run is interfered with, so that it should last.
LONG = (resumed, shares, damaged_unfinished)
OFTEN = {plain: 32, resumed: 22, shares: 10, damaged_unfinished: 22, damaged_finished: 9, damaged_shares: 4, rivals: 4,
         refused_memory: 1}


def random_history(rng):
    return rng.choices(list(OFTEN), list(OFTEN.values()))[0]
