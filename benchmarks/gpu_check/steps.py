"""The steps, what matters most first: when time is short, the last ones are left out."""

from dataclasses import dataclass
from typing import Callable

import driver
import elements
import expressions
import faults
import jobs
import machine
import pixels
import rates


@dataclass(frozen=True)
class Step:
    name: str
    limit_s: float
    work: Callable

    @property
    def what(self):
        return self.work.__doc__.splitlines()[0]


STEPS = (
    Step("machine", 40, machine.machine),
    Step("parity", 150, pixels.parity),
    Step("starts", 40, driver.starts),
    Step("rates", 45, rates.rates),
    Step("cub", 30, rates.cub),
    Step("exact", 60, rates.exact),
    Step("deep", 60, rates.deep),
    Step("job", 45, rates.job),
    Step("together", 45, rates.together),
    Step("faults", 75, faults.faults),
    Step("jobs", 90, jobs.jobs),
    Step("terapixel", 150, rates.terapixel),
    Step("resident", 60, rates.resident),
    Step("limits", 60, faults.limits),
    Step("driver", 60, driver.driver),
    Step("renders", 60, pixels.renders),
    Step("deep-renders", 60, pixels.deep_renders),
    Step("arrays", 60, elements.arrays),
    Step("expressions", 90, expressions.expressions),
    Step("opencl", 60, rates.opencl),
    Step("profile", 60, rates.profile),
    Step("files", 75, rates.files),
    Step("crossover", 45, rates.crossover),
)
