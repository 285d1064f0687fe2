#!/bin/sh
# A plugin of SwiftBar and xbar: put it into the folder of their plugins, executable. They know
# little of the PATH of your shell.
PATH="$PATH:/usr/local/bin:/opt/homebrew/bin:$HOME/.local/bin"
exec capsule status --format swiftbar
