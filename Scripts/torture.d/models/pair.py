"""Two machines, each with a directory that a synchroniser keeps like the other's: what `verify` may say while files are
on their way, and what both have in the end."""
from engine import Tally
from invariants import json_of
from models.synchroniser import Synchroniser
from reader import Contents, roster
from worlds import FUTURE


def pairs(bench):
    rounds, tally, seed = bench.pick(300, 4), Tally(), bench.random.random()
    bench.each(list(range(rounds)), lambda number: Pair(bench, number, seed, tally).live())
    return (f"{rounds} pairs of machines with {tally['deliveries']} deliveries and {tally['verifies']} verifies, of "
            f"which {tally['in flight']} missed what was on its way, and {tally['alone']} did where nothing had come "
            "yet of another machine's journal")


class Pair:
    def __init__(self, bench, number, seed, tally):
        self.bench, self.tally, self.number = bench, tally, number
        self.rng = type(bench.random)(f"{seed} {number}")
        self.machines = [bench.sandbox(), bench.sandbox()]
        self.between = Synchroniser(*self.machines)
        self.pending = self.between.pending
        # The machines that have used the store, and those to which something of the other's journal came since.
        self.began, self.heard = {self.machines[0]}, set()
        self.ids, self.purged = [], set()

    def violate(self, what):
        self.bench.violate(f"pair {self.number}", what)

    def live(self):
        first, second = self.machines
        first.do("create", "first", "--unlock", FUTURE, "--text", "x", "-q")
        # The second machine begins when the store has arrived.
        self.between.look(first)
        waiting = self.pending[second]
        while waiting:
            self.deliver(second, "store.json" if "store.json" in waiting else next(iter(waiting)))
        for _ in range(self.bench.pick(25, 10)):
            self.change(self.rng.choice(self.machines))
            for _ in range(self.rng.randrange(6)):
                machine = self.rng.choice(self.machines)
                if self.pending[machine]:
                    self.deliver(machine, self.rng.choice(sorted(self.pending[machine])))
            if self.rng.random() < 0.6:
                self.verify(self.rng.choice(self.machines))
        self.settle()
        for machine in self.machines:
            machine.remove()

    def change(self, machine):
        """One change, of a record that is not on its way."""
        free = [name for name in self.ids if name not in self.between.busy]
        verb = self.rng.choice(["create", "edit", "edit", "delete", "restore", "purge", "person"])
        name, title = self.rng.choice(free) if free else None, str(self.rng.random())
        create = ["create", title, "--unlock", FUTURE, "--text", "x", "-q"]
        words = {"person": ["beneficiary", "add", title, "-q"], "create": create}.get(verb)
        words = words or (create if not free else {
            "edit": ["edit", name, "--notes", title], "delete": ["delete", name, "--yes"],
            "restore": ["restore", name], "purge": ["purge", name, "--yes"]}[verb])
        ran = machine.run(*words)
        self.began.add(machine)
        if ran.code not in (0, 1, 5, 7, 12):
            self.violate(f"{words}: exit code {ran.code}: {ran.tail()}")
        if ran.done and words[0] == "create":
            self.ids.append(ran.out.decode().strip())
        if ran.done and words[0] == "purge":
            self.purged.add(name)
        self.between.look(machine)

    def deliver(self, machine, path):
        self.tally.add("deliveries")
        self.between.deliver(machine, path)
        if path.startswith("journal/") and machine in self.began:
            self.heard.add(machine)

    def verify(self, machine):
        ran = machine.run("verify", "--json")
        self.began.add(machine)
        self.tally.add("verifies")
        answer = json_of(ran) or {"problems": [{"kind": "none", "isDamage": True, "id": ran.tail()}]}
        wrong = [problem for problem in answer["problems"] if problem["isDamage"]]
        busy = " ".join(self.pending[machine])
        # A record, or the frame that says that it was purged.
        on_its_way = [problem for problem in wrong if problem["id"] and (
            problem["id"] in busy or f"/{problem['id'][:2]}.log" in busy)]
        if wrong and len(on_its_way) == len(wrong) and machine not in self.heard:
            # Nothing here says that another machine is at work: a file that is gone is missed at once,
            # as it must be on a machine that is alone.
            self.tally.add("alone")
            if not {problem["kind"] for problem in wrong} <= {"missing", "outdated"} or ran.code != 7:
                self.violate(f"alone, and a loss is not said: {ran.code} {wrong}")
        elif wrong and len(on_its_way) == len(wrong):
            # It is not there, and it is on its way: kept apart from what is wrong altogether.
            self.tally.add("in flight")
            self.violate(f"verify misses what is on its way: {wrong}; {sorted(self.pending[machine])}")
        elif wrong or not ran.done:
            self.violate(f"false alarm: {ran.code} {wrong}")
        self.between.look(machine)

    def settle(self):
        """Everything arrives; both are the same then, and both rosters are right."""
        for _ in range(6):
            for machine in self.machines:
                while self.pending[machine]:
                    self.deliver(machine, self.rng.choice(sorted(self.pending[machine])))
                ran = machine.run("verify", "--json")
                answer = json_of(ran) or {"problems": ["no JSON"]}
                if not ran.done or answer["problems"]:
                    self.violate(f"all has arrived, and verify says {ran.code} {answer['problems']}")
                self.between.look(machine)
            if not any(self.pending.values()):
                break
        else:
            self.violate("two machines do not come to rest")
        have = []
        for machine in self.machines:
            now = Contents(machine.store)
            keys = {*now.live, *now.trash}
            have.append((now.live, now.trash))
            for problem in now.problems:
                self.violate(problem)
            if set(roster(machine.store)) != keys:
                self.violate(f"the journals and the store differ: {set(roster(machine.store)) ^ keys}")
            if back := {key for key in keys if key[1] in self.purged}:
                self.violate(f"purged, and back: {back}")
        if have[0] != have[1]:
            self.violate("the two machines differ")
