"""The suites: rows of operations, faults and invariants, and what is no such row, by name."""
import archives
import backups
import crowds
import damages
import handovers
import invariants
import journals
import operations
import places
import poor
import syncs
from attacks.suite import attacks
from engine import Row
from faults import at_calls, failing_calls
from models.life import lives
from models.pair import pairs
from models.year import years
from removals import removals

KILLED = at_calls("signal=KILL")


def every_operation(bench):
    return [operations.first(), *operations.everything(bench).values()]


def every_change(bench):
    return [operations.first(), *operations.changes(bench).values()]


def known_deliveries(bench):
    return [handovers.with_delivery(bench, operation) for operation in operations.deliveries(bench)]


def known_estates(bench):
    return [handovers.with_estate_facts(bench, operation) for operation in operations.estates(bench)]


def known_groups(bench):
    return [handovers.with_group_facts(bench, operation) for operation in operations.groups(bench)]


def poor_outputs(bench):
    return [*backups.one_backup(bench), *operations.deliveries(bench)]


def journalled(bench):
    found = operations.journalled(bench)
    journals.is_written_anew(bench, found[-1])
    return found


SUITES = {
    "calls": [
        Row("{tried} runs with a failing system call", every_operation, calls=failing_calls,
            invariants=invariants.CHANGE, short=300)],
    "kills": [
        Row("{kill} kills at {tried} of {points} points", every_change, calls=KILLED,
            invariants=invariants.CHANGE, short=200)],
    "undos": [
        Row("{kill} kills and {error} errors at {tried} of {points} points", operations.undos,
            calls=at_calls("signal=KILL", "error=EIO", "error=ENOSPC", but_close=True),
            invariants=(invariants.undo_is_listed, *invariants.CHANGE), short=150)],
    "writers": [crowds.writers],
    "contention": [crowds.contention, crowds.mixed],
    "exhaustion": [
        Row("{tried} limits", places.usual, places.limits, invariants=invariants.CHANGE),
        Row("{tried} full stdout", places.usual, places.full_outputs, invariants=(invariants.not_done_unsaid,)),
        places.hooks,
        Row("{tried} disk steps", places.usual, places.little_room, during=(invariants.reads_and_gives_room,),
            invariants=invariants.CHANGE, needs_mount=True)],
    "corruption": [
        Row("{tried} damaged files, {by itself} mended by repair alone, {from a copy} from a copy",
            damages.look_at_losses, damages.damaged_files, prepare=damages.snapped,
            invariants=(damages.others_are_there, damages.mended), short=100)],
    "hostile": [
        Row("{tried} replaced paths, with every command each", places.a_look, places.replaced,
            invariants=(invariants.nothing_outside,), short=60),
        places.climbers],
    "readonly": [
        Row("{tried} readings", places.readers, places.only_read, during=(invariants.unwritten,))],
    "powercut": [crowds.power_cuts],
    "deliveries": [
        Row("{kill} kills, {interrupt} interrupts and {error} errors at {tried} of {points} points", known_deliveries,
            calls=at_calls("signal=KILL", "signal=INT", "error=EIO", but_close=True),
            invariants=(invariants.ended, handovers.delivered_whole, invariants.verify_is_content,
                        handovers.next_delivery_finishes), short=150)],
    "estates": [
        Row("{kill} kills, {interrupt} interrupts and {error} errors at {tried} of {points} points", known_estates,
            calls=at_calls("signal=KILL", "signal=INT", "error=EIO", but_close=True),
            invariants=(invariants.ended, handovers.estate_is_whole, handovers.nothing_in_the_clear,
                        handovers.next_estate_finishes), short=100)],
    "trustees": [
        Row("{kill} kills and {error} errors at {tried} of {points} points, {writes} writes watched", known_groups,
            calls=at_calls("signal=KILL", "error=EIO", "error=ENOSPC", but_close=True),
            invariants=(invariants.ended, handovers.group_has_its_pages, invariants.verify_is_content,
                        handovers.next_group_works), short=150)],
    "rot": [
        Row("{flips} flips: {mended own} of {of own} in records and headers mended with its journal, {mended copy} of "
            "{of copy} with another machine's, {mended none} of {of none} without one, {named} others named, "
            "{as it was} without effect", damages.look_at_keepsakes, damages.flips,
            prepare=damages.with_that_journal, invariants=(damages.put_back_or_named,)),
        removals],
    "losses": [
        Row("{tried} losses, {by itself} mended by repair alone, {from a copy} from a copy", damages.look_at_losses,
            damages.all_losses, prepare=damages.snapped, invariants=(damages.mended,), short=30),
        Row("{tried} of headers, {by itself} mended by repair alone, {from a copy} from a copy",
            damages.look_at_losses, damages.header_losses, prepare=damages.snapped,
            invariants=(damages.opens_before_a_repair, damages.mended)),
        Row("{tried} bad sectors", damages.look_at_losses, damages.bad_sectors, prepare=damages.with_another_damage,
            invariants=(damages.others_are_mended,), short=6),
        Row("{tried} older copies laid over", damages.look_at_losses, damages.older_copies,
            invariants=(damages.nothing_newer_goes, invariants.verify_is_content)),
        Row("{tried} conflict copies", damages.look_at_losses, damages.conflict_copies,
            invariants=(damages.conflicts_stay,)),
        Row("{kill} repairs killed at {tried} of {points} points", damages.repairs, calls=KILLED,
            invariants=(damages.next_repair_mends,), short=15),
        crowds.hot_copies],
    "journal": [
        Row("{kill} kills at {tried} of {points} points", journalled, calls=KILLED,
            invariants=(invariants.old_or_new, journals.journal_holds, journals.next_edit_is_appended), short=40),
        Row("{tried} of {points} torn tails", journals.look_at_ends, journals.tears,
            invariants=(journals.journal_holds, journals.repair_has_nothing, journals.next_edit_is_appended),
            short=40),
        Row("{tried} frames of a purge changed", journals.look_at_moved, journals.changed_purges,
            invariants=(journals.stays_away,), short=6),
        journals.replays, pairs, crowds.alarms],
    "backup": [
        Row("{kill} kills at {tried} of {points} points", backups.backups, calls=KILLED, prepare=backups.look_before,
            invariants=(backups.before_stands, backups.next_backup_finishes), short=45),
        Row("{tried} failing calls", backups.one_backup, backups.failing, prepare=backups.look_before,
            invariants=(invariants.ended, backups.before_stands, backups.next_backup_finishes)),
        Row("{tried} full disks, {disk} refused", backups.keeping_one, backups.little_room,
            prepare=backups.look_before, during=(invariants.ended, backups.before_stands),
            invariants=(backups.next_backup_finishes,), needs_mount=True),
        backups.generations, crowds.backups_beside,
        Row("{tried} with a changed bit", backups.one_more_backup, backups.rotten,
            invariants=(backups.rot_is_not_linked_on,)),
        backups.refusals],
    "archive": [
        Row("{kill} kills of exports at {tried} of {points} points", archives.exports, calls=KILLED,
            invariants=(archives.export_is_whole,), short=30),
        Row("{kill} kills at {tried} of {points} points", archives.imports, calls=KILLED,
            invariants=(archives.import_is_sound, archives.next_import_finishes), short=60),
        Row("{tried} full disks, {disk} refused", archives.imports, archives.little_room, during=(invariants.ended,),
            invariants=(archives.import_is_sound, archives.next_import_finishes), needs_mount=True),
        Row("{tried} cut or changed", archives.archive_looks, archives.cut_or_changed,
            invariants=(archives.refused_or_sound,)),
        Row("{tried} hostile", archives.archive_looks, archives.hostile, invariants=(archives.refused_or_sound,))],
    "protect": [
        Row("{kill} kills and {error} errors at {tried} of {points} points", operations.protections,
            calls=at_calls("signal=KILL", "error=EIO", "error=ENOSPC"),
            invariants=(invariants.ended, handovers.honor_capsules_open, handovers.next_protection_finishes,
                        handovers.honor_capsules_are_the_stores, handovers.no_key_in_the_clear,
                        invariants.verify_is_content),
            short=12)],
    "sync": [
        syncs.schedules,
        Row("{kill} kills at {tried} of {points} calls", syncs.syncs, calls=KILLED,
            invariants=(syncs.machines_agree,), short=60),
        Row("{tried} segments", syncs.syncs, syncs.change_files,
            invariants=(syncs.taken_or_told, syncs.items_agree)),
        Row("{tried} full carriers, {disk} refused", syncs.loud_syncs((0, 10)), syncs.little_room,
            during=(invariants.ended,), invariants=(syncs.machines_agree,), needs_mount=True),
        Row("{tried} vanishing carriers, {vanishing} told", syncs.loud_syncs((3, 7, 10, 12)), syncs.vanishing,
            during=(invariants.ended, syncs.nothing_made_anew), invariants=(syncs.machines_agree,)),
        Row("{tried} read-only carrier", syncs.loud_syncs((10,)), syncs.only_read, during=(syncs.is_told,),
            invariants=(syncs.machines_agree,), needs_mount=True),
        Row("{tried} foreign", syncs.loud_syncs(()), syncs.headers, during=(syncs.refused_unchanged,),
            invariants=(syncs.machines_agree,))],
    "poor": [
        Row("{tried} commands where times, modes, locks or the synchronizing of directories are refused",
            every_operation, poor.refusals, invariants=(poor.does_its_work, *invariants.CHANGE), short=120),
        Row("{tried} backups and deliveries", poor_outputs, poor.refusals,
            invariants=(poor.does_its_work, invariants.ended, invariants.verify_is_content), short=40)],
    "life": [lives],
    "year": [years],
    "attacks": [attacks],
}
