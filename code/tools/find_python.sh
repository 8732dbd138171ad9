#!/bin/sh
# Print a Python that can build the course (3.11 to 3.13, with venv), or say
# in one line what is missing.  $1, if given, is the only one looked at.
ok='import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'
seen=
if [ -z "$1" ]; then
    set -- python3 python3.13 python3.12 python3.11 python
fi
for name in "$@"; do
    path=$(command -v "$name") || continue
    version=$("$path" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
    if ! "$path" -c "$ok" 2>/dev/null; then
        seen="$seen $name is Python $version;"
    elif ! "$path" -c 'import venv, ensurepip' 2>/dev/null; then
        seen="$seen $name lacks venv (on Debian or Ubuntu: apt install python3-venv);"
    else
        echo "$path"
        exit 0
    fi
done
echo "The course needs Python 3.11, 3.12 or 3.13 with venv;${seen:- found no Python} (choose one: make PYTHON=/path/to/python3.12)" >&2
exit 1
