"""Packs the files that standard input names, in this order, with the time of
SOURCE_DATE_EPOCH: the same files give the same bytes. Called by scripts/release.sh."""

import os
import sys
import time
import zipfile

date = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    for name in sys.stdin.read().splitlines():
        info = zipfile.ZipInfo(name, date)
        info.external_attr = (0o755 if name.endswith(".exe") else 0o644) << 16
        with open(name, "rb") as file:
            archive.writestr(info, file.read(), zipfile.ZIP_DEFLATED)
