#!/bin/sh
# A plugin for SwiftBar and xbar: copy it to their plugin folder and make it executable. They do not
# use the PATH of your shell.
PATH="$PATH:/usr/local/bin:/opt/homebrew/bin:$HOME/.local/bin"
exec capsule status --format swiftbar
