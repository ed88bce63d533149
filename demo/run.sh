#!/usr/bin/env bash
# Muniment on this very repository: learn it, review, and ask it a question. `make demo` runs it.
#
# Profile, store and credential are made in the folder .demo, anew each time; nothing of yours is touched.
set -euo pipefail
cd "$(dirname "$0")/.."

place=$PWD/.demo
rm -rf "$place"
mkdir -m 700 "$place"
export MUNIMENT_CONFIG=$place/config MUNIMENT_STORE=$place/memory.db
unset MUNIMENT_PROFILE

# A demo types its passphrase for you. It goes through a descriptor: never through an argument or the environment.
words=$place/words
(umask 077 && printf 'only for the demo %s\n' "$RANDOM$RANDOM" >"$words")

step() { printf '\n\033[1m$ muniment %s\033[0m\n' "$1"; }
if [ -n "${NO_COLOR:-}" ] || [ ! -t 1 ]; then step() { printf '\n$ muniment %s\n' "$1"; }; fi

step 'init --user you --agent codex --yes'
muniment init --user you --agent codex --yes --passphrase-fd 3 3<"$words"

step 'learn .'
muniment learn .

step 'inbox'
muniment inbox >"$place/inbox" 2>/dev/null
head -n 13 "$place/inbox"
echo "  …"

# Every change is decided by itself: one is rejected and refused from now on, one is kept for a closer look.
step 'review --reject change_01 --reason "not worth keeping" --needs-review change_02'
muniment review --reject change_01 --reason "not worth keeping" --needs-review change_02 --passphrase-fd 3 3<"$words"

# Safe is: low-risk uses, no warning, no conflict, nobody wants a closer look, and the source says it now.

step 'review --accept safe'
muniment review --accept safe --passphrase-fd 3 3<"$words"

step 'learn .      # again: nothing changed, so nothing is proposed'
muniment learn . | tee "$place/again"
if grep -q 'proposed to' "$place/again"; then
    echo 'learning again proposed something' >&2
    exit 1
fi

step 'verify'
muniment verify

step 'recall "how do I run the tests?" --use choose_local_commands --budget 400'
muniment recall "how do I run the tests?" --use choose_local_commands --budget 400 | tee "$place/packet"
grep -q 'line [0-9]' "$place/packet"

printf '\nLook at it on a page (the passphrase is in .demo/words):\n'
printf '  MUNIMENT_CONFIG=.demo/config MUNIMENT_STORE=.demo/memory.db %s/muniment serve\n' "$(dirname "$(command -v muniment)" | sed "s|^$PWD/||")"
