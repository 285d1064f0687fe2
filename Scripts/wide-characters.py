#!/usr/bin/env python3
"""Writes Sources/CapsuleCore/Bytes/TextWidth+Wide.swift from Python's Unicode database.

usage: Scripts/wide-characters.py > Sources/CapsuleCore/Bytes/TextWidth+Wide.swift
"""
import unicodedata


def is_wide(code):
    if 0xD800 <= code <= 0xDFFF:
        return False
    # Whole planes of ideographs are wide, also where nothing is assigned yet (UAX #11, section 4.2).
    if 0x20000 <= code <= 0x2FFFD or 0x30000 <= code <= 0x3FFFD:
        return True
    if 0x3400 <= code <= 0x4DBF or 0x4E00 <= code <= 0x9FFF or 0xF900 <= code <= 0xFAFF:
        return True
    character = chr(code)
    return unicodedata.category(character) != "Cn" and \
        unicodedata.east_asian_width(character) in "WF"


def main():
    ranges = []
    for code in range(0x110000):
        if is_wide(code):
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    print("extension TextWidth {")
    print("  /// First and last of each stretch of wide characters: East Asian Width W and F of")
    print(f"  /// Unicode {unicodedata.unidata_version}. Made by `Scripts/wide-characters.py`.")
    print("  static let wide: [UInt32] = [")
    line = "   "
    for first, last in ranges:
        piece = f" 0x{first:x}, 0x{last:x},"
        if len(line) + len(piece) > 100:
            print(line)
            line = "   "
        line += piece
    print(line)
    print("  ]")
    print("}")


main()
