"""Look at what is around a store's file: its file system, and who holds it open.

- A file system shared over a network does not keep the locks that SQLite relies on; it is noticed, not refused.
- Where the system does not tell (no `/proc`), nothing is said.

>>> mounts = "server:/home /home nfs4 rw 0 0\\n/dev/sda1 / ext4 rw 0 0"
>>> network_kind(Path("/home/a/memory.db"), mounts), network_kind(Path("/var/memory.db"), mounts)
('nfs4', '')
"""

from __future__ import annotations

import os
from pathlib import Path

_MOUNTS = Path("/proc/self/mounts")
_PROCESSES = Path("/proc")
_NETWORK = frozenset(
    "nfs nfs4 cifs smb smb3 smbfs ncpfs 9p afs ceph glusterfs fuse.glusterfs fuse.sshfs fuse.rclone fuse.s3fs"
    " lustre beegfs gpfs ocfs2 gfs2 davfs fuse.davfs2".split()
)


def network_kind(path: Path, mounts: str) -> str:
    """The kind of the network file system that holds `path`; empty for a local one.

    Args:
        path: Absolute.
        mounts: As in `/proc/self/mounts`.
    """
    best, kind = -1, ""
    for line in mounts.splitlines():
        parts = line.split()
        if len(parts) < 3:
            continue
        point = parts[1].replace("\\040", " ")
        if path.is_relative_to(point) and len(point) >= best:
            best, kind = len(point), parts[2]
    return kind if kind in _NETWORK else ""


def notices_of(path: Path) -> tuple[str, ...]:
    """What a user should know of the place of a store."""
    try:
        mounts = _MOUNTS.read_text("utf-8", "replace")
    except OSError:
        return ()
    kind = network_kind(path.resolve(), mounts)
    if not kind:
        return ()
    return (
        f"the store is on a network file system ({kind}), whose locks are not reliable; keep it on a local disk",
    )


def holders(path: Path) -> tuple[int, ...]:
    """The other processes that have the file open, as far as the system tells."""
    wanted, found = os.path.realpath(path), set()
    for folder in _PROCESSES.glob("[0-9]*/fd"):
        try:
            names = {str(link.readlink()) for link in folder.iterdir()}
        except OSError:  # ended meanwhile, or another user's
            continue
        if wanted in names:
            found.add(int(folder.parent.name))
    return tuple(sorted(found - {os.getpid()}))
