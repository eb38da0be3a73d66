"""Verifies a folder of tiles with aics-tlog: aics.py FOLDER VKEY [WITNESS_VKEY]..."""

import sys
from pathlib import Path

from aics_tlog import FileSystemTileReader, audit_tiles, parse_note, parse_vkey, verify_checkpoint

folder, vkey, *witnesses = sys.argv[1:]
note = parse_note((Path(folder) / "checkpoint").read_bytes())
found = verify_checkpoint(note, parse_vkey(vkey), [parse_vkey(key) for key in witnesses], len(witnesses))
if not found.ok:
    sys.exit(f"checkpoint: {found.error}")
report = audit_tiles(FileSystemTileReader(folder), found.size, found.root)
print(report)
