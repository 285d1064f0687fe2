"""Two machines, each with a directory that a synchroniser keeps like the other's, a file at a time and
in any order."""
import os

from changes import FUTURE, contents, json_of
from frames import roster
from reader import files


def two_machines(bench):
    rounds = bench.pick(300, 4)
    figures = {"verifies": 0, "deliveries": 0, "in flight": 0, "alone": 0}

    def one(number):
        Pair(bench, number, figures).run()

    bench.each(list(range(rounds)), one)
    return (f"{rounds} pairs of machines with {figures['deliveries']} deliveries and "
            f"{figures['verifies']} verifies, of which {figures['in flight']} missed what was on its way, "
            f"and {figures['alone']} did where nothing had come yet of another machine's journal")


class Pair:
    def __init__(self, bench, number, figures):
        self.bench, self.figures, self.where = bench, figures, f"pair {number}"
        self.rng = type(bench.random)(f"{bench.random.random()} {number}")
        self.machines = [bench.sandbox(), bench.sandbox()]
        # What is on its way to each: paths, with bytes or `None` for a file that goes.
        self.pending = [{}, {}]
        self.seen = [{}, {}]
        # Whether anything of the other's journal has arrived.
        self.heard = [False, False]
        self.ids, self.purged = [], set()

    def run(self):
        first, second = self.machines
        first.run("create", "first", "--unlock", FUTURE, "--text", "x", "-q")
        # The second machine begins when the store has arrived.
        self.look(0)
        while self.pending[1]:
            self.deliver(1, "store.json" if "store.json" in self.pending[1]
                         else next(iter(self.pending[1])))
        for _ in range(self.bench.pick(25, 10)):
            side = self.rng.randrange(2)
            self.change(side)
            self.look(side)
            for _ in range(self.rng.randrange(6)):
                self.some()
            if self.rng.random() < 0.6:
                self.verify(self.rng.randrange(2))
        self.settle()
        for sandbox in self.machines:
            sandbox.remove()

    def change(self, side):
        """One change, of a record that is not on its way."""
        busy = " ".join([*self.pending[0], *self.pending[1]])
        sandbox = self.machines[side]
        free = [name for name in self.ids if name not in busy]
        verb = self.rng.choice(["create", "edit", "edit", "delete", "restore", "purge", "item"])
        if verb == "item":
            words = ["beneficiary", "add", str(self.rng.random()), "-q"]
        elif verb == "create" or not free:
            words = ["create", str(self.rng.random()), "--unlock", FUTURE, "--text", "x", "-q"]
        else:
            name = self.rng.choice(free)
            words = {"edit": ["edit", name, "--notes", str(self.rng.random())],
                     "delete": ["delete", name, "--yes"], "restore": ["restore", name],
                     "purge": ["purge", name, "--yes"]}[verb]
        ran = sandbox.run(*words)
        if ran.code not in (0, 1, 5, 7, 12):
            self.bench.violate(self.where, f"{words}: exit code {ran.code}: {ran.tail()}")
        if ran.done and words[0] == "create":
            self.ids.append(ran.out.decode().strip())
        if ran.done and words[0] == "purge":
            self.purged.add(words[1])

    def look(self, side):
        """Takes notice of what a machine changed, as a synchroniser does."""
        now = {path: data for path, data in files(self.machines[side].store).items()
               if path != "lock" and not path.startswith("tmp/")}
        old, other = self.seen[side], 1 - side
        for path in {*now, *old}:
            if now.get(path) != old.get(path):
                self.pending[other][path] = now.get(path)
        self.seen[side] = now

    def some(self):
        side = self.rng.randrange(2)
        if self.pending[side]:
            self.deliver(side, self.rng.choice(sorted(self.pending[side])))

    def deliver(self, side, path):
        data = self.pending[side].pop(path)
        place = os.path.join(self.machines[side].store, path)
        self.figures["deliveries"] += 1
        if data is None:
            if os.path.exists(place):
                os.unlink(place)
            self.seen[side].pop(path, None)
            return
        os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
        # A name that the program leaves alone until it is whole.
        part = os.path.join(self.machines[side].path, "arriving")
        with open(part, "wb") as file:
            file.write(data)
        os.chmod(part, 0o400 if path.startswith(("blobs/", "identities/")) else 0o600)
        os.replace(part, place)
        self.heard[side] |= path.startswith("journal/")
        self.seen[side][path] = data

    def verify(self, side):
        ran = self.machines[side].run("verify", "--json")
        self.figures["verifies"] += 1
        answer = json_of(ran) or {"problems": [{"kind": "none", "isDamage": True, "id": ran.tail()}]}
        wrong = [problem for problem in answer["problems"] if problem["isDamage"]]
        busy = " ".join(self.pending[side])
        # A record, or the frame that says that it was purged.
        on_its_way = [problem for problem in wrong if problem["id"] and (
            problem["id"] in busy or f"/{problem['id'][:2]}.log" in busy)]
        if wrong and len(on_its_way) == len(wrong) and not self.heard[side]:
            # Nothing here says that there is another machine: a file that is gone is missed at once,
            # as it must be on a machine that is alone.
            self.figures["alone"] += 1
            if {problem["kind"] for problem in wrong} != {"missing"} or ran.code != 7:
                self.bench.violate(self.where, f"alone, and a loss is not said: {ran.code} {wrong}")
        elif wrong and len(on_its_way) == len(wrong):
            # It is not there, and it is on its way: kept apart from what is wrong altogether.
            self.figures["in flight"] += 1
            self.bench.violate(self.where, f"verify misses what is on its way: {wrong}; "
                               f"{sorted(self.pending[side])}")
        elif wrong or not ran.done:
            self.bench.violate(self.where, f"false alarm: {ran.code} {wrong}")
        self.look(side)

    def settle(self):
        """Everything arrives; both are the same then, and both rosters are right."""
        for _ in range(6):
            for side in (0, 1):
                while self.pending[side]:
                    self.deliver(side, self.rng.choice(sorted(self.pending[side])))
                ran = self.machines[side].run("verify", "--json")
                answer = json_of(ran) or {"problems": ["no JSON"]}
                if not ran.done or answer["problems"]:
                    self.bench.violate(self.where, f"all has arrived, and verify says {ran.code} "
                                       f"{answer['problems']}")
                self.look(side)
            if not any(self.pending):
                break
        else:
            self.bench.violate(self.where, "two machines do not come to rest")
        have = []
        for sandbox in self.machines:
            now = contents(sandbox)
            for problem in now.problems:
                self.bench.violate(self.where, problem)
            keys = {*now.live, *now.trash}
            have.append(({**now.live}, {**now.trash}))
            named = set(roster(sandbox.store))
            if named != keys:
                self.bench.violate(self.where, f"the journals and the store differ: {named ^ keys}")
            back = {key for key in keys if key[1] in self.purged}
            if back:
                self.bench.violate(self.where, f"purged, and back: {back}")
        if have[0] != have[1]:
            self.bench.violate(self.where, "the two machines differ")
