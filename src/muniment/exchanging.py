"""The verbs of the library's front object that bring memory in from elsewhere and hand it out again.

- `import_` proposes; nothing is usable before it is reviewed.
- `export` takes only what who acts may see, and what may leave; `restore` brings a bundle of our own back as it was.
- `sync` does both ways at once with a folder that a team shares.

`memory.Memory` has them.

>>> from muniment import Memory
>>> memory = Memory.open(None).acting_as("user:ada", scopes=["project:shop"])
>>> memory.export().claims
0
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muniment import wiring
from muniment.core.access import Visibility
from muniment.core.authority import gated
from muniment.core.errors import Finding, InvalidInput
from muniment.ports.credential import Signer
from muniment.ports.learning import Progress
from muniment.usecases.session import Session

if TYPE_CHECKING:
    from muniment.usecases.exporting import Exported
    from muniment.usecases.import_report import Imported
    from muniment.usecases.restore import Restored
    from muniment.usecases.sync_report import Synced


class Exchanging:
    """What a `Memory` does with files of other memories."""

    session: Session
    _roots: dict[str, Path]

    @gated
    def import_(
        self,
        *paths: str | Path,
        format: str = "",
        dry_run: bool = False,
        visibility: Mapping[str, Any] | Visibility | None = None,
        progress: Progress | None = None,
        messages: str | Path | None = None,
    ) -> Imported:
        """Propose what files of other memories say; see `usecases.importing`.

        Args:
            paths: Files, folders and archives.
            format: The one format that all are read as; told from each file by default.
            dry_run: Whether to look only.
            visibility: Who may see the claims; somebody's own memory is private to who imports it by default.
            progress: Told how far it has come.
            messages: A file for the messages of conversations, one a line, for `learn_conversation`.

        Raises:
            InvalidInput: No scope is certain, or none of the files can be read; nothing was written.
        """
        from muniment.usecases.importing import import_batch, silent

        batch = wiring.open_import([Path(path) for path in paths], format, self._roots)
        who = wiring.visibility_from(visibility)
        if messages is None:
            return import_batch(self.session, batch, dry_run, who, progress or silent)
        keeper, done = wiring.open_messages(Path(messages)), False
        try:
            found = import_batch(self.session, batch, dry_run, who, progress or silent, keeper)
            done = not dry_run and any(one.messages for one in found.files)
        finally:
            keeper.close(done)
        return found

    @gated
    def export(
        self,
        format: str = "jsonl",
        out: str | Path | None = None,
        *,
        use: str = "",
        visibility: Mapping[str, Any] | Visibility | None = None,
        history: bool = False,
    ) -> Exported:
        """Write claims in another format; see `usecases.exporting`, and for `mif` `usecases.bundle`.

        Args:
            format: `mif`, or a name of `exchange.outward`.
            out: The file, for `mif` the folder; None to be handed the bytes.
            use: What a format without boundaries is wanted for; `prepare_context` by default.
            visibility: Who will read it.
            history: Whether what held once goes along; for `mif`, all that was recorded before.

        Raises:
            InvalidInput: No scope, an unknown format, or a place that cannot be written; nothing was written.
        """
        from muniment.usecases.exporting import export

        if format.strip().lower() == "mif":
            return self._bundle(out, wiring.visibility_from(visibility), history)
        known, place = wiring.open_export(format, Path(out) if out is not None else None)
        return export(self.session, known, place, use, wiring.visibility_from(visibility), history)

    def _bundle(
        self, out: str | Path | None, readers: Visibility | None, history: bool
    ) -> Exported:
        from collections import Counter

        from muniment.usecases.bundle import collect
        from muniment.usecases.exporting import Exported

        if out is None:
            fix = "name it: `muniment export memory/ --format mif`"
            finding = Finding("no_folder", "a bundle is written to a folder", "--out", fix)
            raise InvalidInput.of((finding,))
        collected = collect(self.session, readers.audience if readers else None, history)
        wrote = wiring.write_bundle(Path(out), collected)
        left = Counter(why for _, why in wrote.left_out)
        return Exported("mif", wrote.claims, left, (), wrote.changed + wrote.removed)

    @gated
    def restore(self, path: str | Path, signer: Signer, *, dry_run: bool = False) -> Restored:
        """Bring back a bundle of our own, review states included; see `usecases.restore`.

        Args:
            path: The folder, or a zip of it.
            signer: The reviewer's opened credential: every claim is signed as it comes back.
            dry_run: Only say what would come back.

        Raises:
            NotPermitted: No reviewer's role, or a credential that is not this principal's registered one.
        """
        from muniment.usecases.restore import restore

        return restore(self.session, wiring.read_export(Path(path)), signer, dry_run)

    @gated
    def sync(
        self,
        folder: str | Path,
        *,
        visibility: Mapping[str, Any] | Visibility | None = None,
        dry_run: bool = False,
        ours: Sequence[str] = (),
        theirs: Sequence[str] = (),
    ) -> Synced:
        """Keep a folder of concepts, of a git repository for instance, and the store together; see `usecases.sync`.

        Args:
            folder: A MIF bundle's folder; made where there is none.
            visibility: Who reads the folder; the session's visibility by default.
            dry_run: Whether to write nothing.
            ours: Files of conflicts in which the store's side is to be written.
            theirs: Files of conflicts in which the file's side is to be proposed.

        Raises:
            InvalidInput: The scope or the readers are not certain, or a named file is in no conflict; nothing was
                written.
        """
        from muniment.usecases.sync import sync

        shared, readers = wiring.open_shared(Path(folder)), wiring.visibility_from(visibility)
        return sync(self.session, shared, readers, dry_run, ours, theirs)
