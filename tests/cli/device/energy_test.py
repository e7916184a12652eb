"""Energy, power and the rest that hardware tells: reports say what tests/cuda_runtime/fake_nvml.cpp and a folder like
Linux's powercap said. What does not tell is null, and holds nobody up."""

import os
import signal

from late_device_test import Late
from program import TESSERA, main
from runs import wait_until

RENDER = ("render", "--view", "galaxies", "--size", "300x200", "--tile", "64", "--output", "a.h5")
KEYS = ("mean_power_w", "max_power_w", "mean_temperature_c", "max_temperature_c", "mean_clock_hz", "max_clock_hz",
        "mean_utilization_ratio", "max_utilization_ratio", "mean_memory_bytes", "max_memory_bytes")


class Metered(Late):
    def start_metered(self, *arguments, nvml="nvml", ranks=0, faults=(), **told):
        """A run that is held at its first item, on a machine with that library of NVIDIA."""
        self.log = self.path("nvml.log")
        environment = {**os.environ, "LD_LIBRARY_PATH": os.path.join(os.path.dirname(TESSERA), nvml),
                       "FAKE_NVML_LOG": self.log, "TESSERA_CUDA_RUNTIME": f"reports={self.path('reports')},devices=1", **told}
        if os.path.exists(self.log):
            os.remove(self.log)
        run = self.start_program(*arguments, "--report", "r.json", env=environment, hold=1, ranks=ranks, faults=faults)
        self.assert_held(run)
        return run

    def start_render(self, *more, device="cuda:0", files="--overwrite", **options):
        return self.start_metered(*RENDER, "--device", device, files, *more, **options)

    def calls(self, function):
        """The values that each process was told by a function of the library."""
        said = {}
        if os.path.exists(self.log):
            with open(self.log) as file:
                for line in file.read().split("\n")[:-1]:
                    process, name, value = line.split()
                    if name == f"nvmlDevice{function}":
                        said.setdefault(process, []).append(int(value))
        return list(said.values())

    def readings(self):
        energies, = self.calls("GetTotalEnergyConsumption")
        return energies

    def wait_for_readings(self, number, processes=1, function="GetTotalEnergyConsumption"):
        """A reading is asked for when the one before it is noted."""
        wait_until("readings", lambda: [len(one) > number for one in self.calls(function)] == [True] * processes)

    def end(self, run, code=0):
        self.release()
        ended, said = self.finish(run)
        self.assertEqual(ended, code, said)
        self.report = self.read_json("r.json")
        return said

    def meter(self, rank=0):
        meter, = self.report["ranks"][rank]["meters"]
        return meter

    def assert_energy(self, meter):
        """That of the last reading that came back without the first; f64 of the whole counter has a rounding of 2e-6 J."""
        first, *later = self.readings()
        self.assertIn(round(meter["energy_j"] * 1000, 1), [last - first for last in later])

    def assert_untold(self, meter, *keys):
        self.assertEqual({key: meter[key] for key in keys}, {key: None for key in keys})


class Gpus(Metered):
    def test_a_render_reports_what_the_library_says(self):
        run = self.start_render("--trace", "t.json", "--report-html", "r.html")
        self.wait_for_readings(3)
        self.end(run)
        meter = self.meter()
        self.assert_energy(meter)
        self.assertAlmostEqual(meter["mean_power_w"], meter["energy_j"] / meter["measured_s"], places=6)
        self.assertGreaterEqual(meter["max_power_w"], 650.5)
        self.assertEqual((meter["device"], meter["max_temperature_c"], meter["mean_clock_hz"], meter["max_memory_bytes"]),
                         ("cuda:0", 61, 1755e6, 2e9))
        self.assertAlmostEqual(meter["mean_utilization_ratio"], .97)
        self.assertEqual(self.report["gpu_energy_j"], meter["energy_j"])
        self.assertEqual(self.report["energy_j"], meter["energy_j"])
        self.assertIsNone(self.report["cores_energy_j"])
        self.assertAlmostEqual(self.report["energy_per_gigapixel_j"] * 300 * 200 / 1e9, meter["energy_j"])
        events = [event for event in self.read_json("t.json")["traceEvents"] if event["ph"] == "C"]
        values = {name: {event["args"]["value"] for event in events if event["name"] == f"cuda:0 {name}"}
                  for name in ("power_w", "temperature_c", "clock_hz", "utilization_ratio", "memory_bytes")}
        self.assertEqual(values["power_w"], {650.5, 350.25})
        self.assertEqual((values["temperature_c"], values["memory_bytes"]), ({61}, {2e9}))
        with open(self.path("r.html")) as file:
            self.assertIn('"max_temperature_c":61.0', file.read())

    def test_a_reduction_reports_it_too(self):
        run = self.start_metered("reduce", "random:normal?count=3000001", "--op", "sum", "--device", "cuda:0", "--slice", "64K")
        self.wait_for_readings(2)
        self.end(run)
        self.assert_energy(self.meter())
        self.assertAlmostEqual(self.report["energy_per_terabyte_j"] * self.report["total"]["bytes"] / 1e12,
                               self.meter()["energy_j"])

    def test_a_gpu_that_joins_is_measured_from_then_on(self):
        run = self.start_render(device="auto")
        self.wait_for_readings(2)
        self.end(run)
        self.assert_energy(self.meter())

    def test_a_gpu_of_several_ranks_counts_once(self):
        run = self.start_render(ranks=2)
        self.wait_for_readings(2, processes=2)
        self.end(run)
        self.assertEqual(self.report["gpu_energy_j"], max(self.meter(rank)["energy_j"] for rank in (0, 1)))

    def test_the_starts_of_a_job_add_up(self):
        run = self.start_render(files="--quiet")
        self.wait_for_readings(2)
        run.send_signal(signal.SIGTERM)
        self.end(run, 75)
        first = self.meter()["energy_j"]
        self.assert_energy(self.meter())
        run = self.start_render(files="--resume")
        self.wait_for_readings(2)
        self.end(run)
        self.assertEqual([start["energy_j"] for start in self.report["starts"]], [first, self.meter()["energy_j"]])
        self.assertAlmostEqual(self.report["all_starts"]["energy_j"], first + self.meter()["energy_j"])


class Untold(Metered):
    def test_without_the_library_nothing_is_told_and_nothing_said(self):
        run = self.start_render("--quiet", nvml="no such folder")
        self.assertEqual(self.end(run), "")
        self.assert_untold(self.meter(), "energy_j", *KEYS)
        self.assert_untold(self.report, "energy_j", "gpu_energy_j", "energy_per_gigapixel_j")

    def test_an_old_library_lacks_the_energy(self):
        run = self.start_render(nvml="nvml_old")
        self.wait_for_readings(2, function="GetTemperature")
        said = self.end(run)
        self.assertNotIn("energy", said)
        self.assert_untold(self.meter(), "energy_j")
        self.assert_untold(self.report, "energy_j", "gpu_energy_j")
        self.assertEqual((self.meter()["max_power_w"], self.meter()["max_temperature_c"]), (650.5, 61))

    def test_what_a_gpu_refuses_is_null(self):
        for function, keys in (("GetPowerUsage", ()), ("GetTemperature", KEYS[2:4]), ("GetClockInfo", KEYS[4:6]),
                               ("GetUtilizationRates", KEYS[6:8]), ("GetMemoryInfo", KEYS[8:])):
            with self.subTest(function=function):
                run = self.start_render(FAKE_NVML_UNSUPPORTED=f"nvmlDevice{function}")
                self.wait_for_readings(2)
                self.end(run)
                self.assert_untold(self.meter(), *keys)
                told = [key for key in KEYS if key not in keys and "power" not in key]
                self.assertNotIn(None, [self.meter()[key] for key in told])
                self.assert_energy(self.meter())

    def test_a_call_that_hangs_holds_nobody_up(self):
        for hangs, readings in (("nvmlInit_v2:1", 0), ("nvmlDeviceGetTemperature:1", 0), ("nvmlDeviceGetTemperature:3", 2)):
            with self.subTest(hangs=hangs):
                run = self.start_render(FAKE_NVML_HANGS=hangs)
                if readings:
                    self.wait_for_readings(readings)
                self.end(run)
                if readings:
                    self.assertAlmostEqual(self.meter()["energy_j"], (self.readings()[1] - self.readings()[0]) / 1000, places=5)
                else:
                    self.assert_untold(self.meter(), "energy_j", *KEYS)
                self.assertEqual(self.report["total"]["pixels"], 300 * 200)


class Cores(Metered):
    def package(self, number, energy):
        zone = self.path(f"powercap/intel-rapl:{number}")
        os.makedirs(zone, exist_ok=True)
        for name, text in (("name", f"package-{number}"), ("max_energy_range_uj", 262143328850), ("energy_uj", energy)):
            with open(os.path.join(zone, name + ".new"), "w") as file:
                print(text, file=file)
            os.replace(os.path.join(zone, name + ".new"), os.path.join(zone, name))

    def test_the_packages_of_a_host_count_once(self):
        for ranks in (0, 2):
            for arguments, per, unit in (((*RENDER, "--overwrite"), "gigapixel", 1e9),
                                         (("reduce", "random:normal?count=3000001", "--op", "sum", "--slice", "64K"), "terabyte", 1e12)):
                with self.subTest(ranks=ranks, command=arguments[0]):
                    self.package(0, 262143000000)
                    self.package(1, 1000)
                    run = self.start_metered(*arguments, "--device", "cpu", "--threads", "1", ranks=ranks,
                                             faults=("meters.powercap_here@1",))
                    self.package(0, 171150)  # wraps: 0.5 J
                    self.package(1, 2001000)  # 2 J
                    self.end(run)
                    self.assertEqual(self.report["cores_energy_j"], 2.5)
                    self.assertEqual(self.report["energy_j"], 2.5)
                    self.assertIsNone(self.report["gpu_energy_j"])
                    work = self.report["total"]["pixels" if per == "gigapixel" else "bytes"] / unit
                    self.assertAlmostEqual(self.report[f"energy_per_{per}_j"] * work, 2.5)
                    self.assertEqual((self.meter()["device"], self.meter()["energy_j"]), ("cores", 2.5))
                    self.assertEqual([rank["meters"] for rank in self.report["ranks"][1:]], [[]] * (len(self.report["ranks"]) - 1))

    def test_without_counters_that_may_be_read_there_is_nothing(self):
        run = self.start_render("--quiet", device="cpu", faults=("meters.powercap_here@1",))
        self.assertEqual(self.end(run), "")
        self.assertEqual(self.report["ranks"][0]["meters"], [])
        self.assertIsNone(self.report["energy_j"])


if __name__ == "__main__":
    main()
