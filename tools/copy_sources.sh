#!/usr/bin/env bash
# Copies the sources that git knows, or would add, into a folder, which is made from nothing.
#
#     tools/copy_sources.sh FOLDER
set -euo pipefail
copy="$(realpath --canonicalize-missing "$1")"
root="$(cd "$(dirname "$0")/.." && pwd)"
rm -rf "$copy"
mkdir -p "$copy"
# what is removed and not committed yet is listed, too
git -C "$root" ls-files -z --cached --others --exclude-standard --deduplicate |
    tar --create --directory "$root" --null --no-recursion --ignore-failed-read --files-from - 2>/dev/null |
    tar --extract --directory "$copy"
