#!/usr/bin/env python3
"""Makes the media samples beside itself, and what independent programs read from them.

usage: generate.py          (needs Pillow, mutagen and PyAV; from any directory)

samples.tsv   a line a sample: name, media type, width, height, milliseconds; `-` is nothing. Pixels
              are Pillow's; lengths are those of the decoded samples, counted by ffmpeg's decoders
              (PyAV), of M4A what ffmpeg says that the file plays.
damaged.tsv   a line a damaged copy: sample, length that is kept, `offset:byte` pairs that are
              written over it, then width and height as Pillow, milliseconds as ffmpeg, and
              milliseconds as mutagen reads them from the damaged copy.
"""
import io
import pathlib
import random
import struct
import warnings
import wave

import av
import mutagen
from PIL import Image, UnidentifiedImageError

HERE = pathlib.Path(__file__).parent
RANDOM = random.Random(5)
DAMAGED = 1000
av.logging.set_level(av.logging.PANIC)
warnings.simplefilter("ignore")  # Pillow tells of every damage


# --- pictures, by Pillow ---------------------------------------------------------------------

def picture(width, height, mode="RGB"):
    image = Image.new("RGB", (width, height))
    image.putdata([(x * 255 // width, y * 255 // height, (x ^ y) & 255)
                   for y in range(height) for x in range(width)])
    return image.convert(mode)


def saved(image, kind, **options):
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def exif(thumbnail):
    """An EXIF segment that holds a whole JPEG of another size: a trap for who looks for SOF."""
    data = Image.Exif()
    data[0x010F] = "A camera"
    data[0x0112] = 1
    return data.tobytes() + thumbnail


def with_segments(jpeg):
    """Segments, and fill bytes, between SOI and the rest."""
    def segment(marker, body):
        return b"\xff" + bytes([marker]) + struct.pack(">H", len(body) + 2) + body
    trap = b"\xff\xc0\x00\x11\x08\x12\x34\x56\x78\x03" + bytes(9)
    return (jpeg[:2] + segment(0xE1, b"Exif\0\0" + trap * 3) + b"\xff\xff"
            + segment(0xE2, b"ICC_PROFILE\0\x01\x01" + trap) + segment(0xFE, b"a note")
            + segment(0xED, b"Photoshop 3.0\0" + trap) + jpeg[2:])


def gif_without_colors(gif):
    """The global colour table moved to the first image."""
    flags = gif[10]
    size = 3 << (flags & 7) + 1
    table, rest = gif[13:13 + size], gif[13 + size:]
    place = rest.index(b"\x2c")
    image = bytearray(rest[place:place + 10])
    image[9] |= 0x80 | flags & 7
    return gif[:10] + bytes([flags & 0x70]) + gif[11:13] + rest[:place] + image + table \
        + rest[place + 10:]


def pictures():
    small, wide = picture(31, 17), picture(240, 9)
    frames = [picture(40, 30, "P"), picture(40, 30).rotate(90).convert("P")]
    yield "rgb.png", "image/png", saved(small, "PNG")
    yield "gray1.png", "image/png", saved(picture(65, 3, "1"), "PNG")
    yield "palette.png", "image/png", saved(picture(12, 120, "P"), "PNG")
    yield "animated.png", "image/png", saved(
        small, "PNG", save_all=True, append_images=[small.rotate(180)])
    yield "baseline.jpg", "image/jpeg", saved(wide, "JPEG", quality=40)
    yield "gray.jpg", "image/jpeg", saved(picture(50, 60, "L"), "JPEG", quality=40)
    yield "cmyk.jpg", "image/jpeg", saved(picture(16, 24, "CMYK"), "JPEG", quality=30)
    yield "progressive-exif.jpg", "image/jpeg", saved(
        small, "JPEG", progressive=True, quality=30, exif=exif(saved(picture(8, 8), "JPEG")))
    yield "segments.jpg", "image/jpeg", with_segments(
        saved(picture(33, 44), "JPEG", quality=30, restart_marker_blocks=2))
    yield "plain.gif", "image/gif", saved(picture(20, 10, "P"), "GIF", interlace=0)
    yield "interlaced.gif", "image/gif", saved(picture(64, 48, "P"), "GIF", interlace=1)
    yield "animated.gif", "image/gif", saved(
        frames[0], "GIF", save_all=True, append_images=frames[1:], duration=50, loop=0)
    yield "local.gif", "image/gif", gif_without_colors(saved(picture(9, 21, "P"), "GIF"))
    yield "lossy.webp", "image/webp", saved(small, "WEBP", quality=40)
    yield "lossless.webp", "image/webp", saved(picture(100, 50), "WEBP", lossless=True)
    yield "extended.webp", "image/webp", saved(
        picture(45, 23, "RGBA"), "WEBP", quality=40, exif=exif(b""))
    transparent = picture(30, 30, "RGBA")
    transparent.putalpha(picture(30, 30, "L"))
    yield "alpha.webp", "image/webp", saved(transparent, "WEBP", quality=40)
    yield "animated.webp", "image/webp", saved(
        picture(22, 18), "WEBP", save_all=True, append_images=[picture(22, 18).rotate(180)],
        quality=30)


# --- sounds, by ffmpeg's encoders and by hand ------------------------------------------------

def tone(samples, rate, seed=1):
    """Mono 16-bit samples."""
    noise = random.Random(seed)
    return struct.pack(f"<{samples}h", *(
        int(9000 * ((n * 440 * 2 // rate) % 2) - 4500 + noise.randrange(-800, 800))
        for n in range(samples)))


def encoded(codec, container, seconds, rate, layout="mono", bit_rate=None, options=None,
            stream_options=None, name="x"):
    out = io.BytesIO()
    out.name = name
    with av.open(out, "w", format=container, options=options or {}) as target:
        stream = target.add_stream(codec, rate=rate, layout=layout, options=stream_options or {})
        if bit_rate:
            stream.bit_rate = bit_rate
        samples = int(seconds * rate)
        channels = 2 if layout == "stereo" else 1
        planes = tone(samples, rate)
        if channels == 2:
            planes = b"".join(planes[n:n + 2] * 2 for n in range(0, len(planes), 2))
        frame = av.AudioFrame(format="s16", layout=layout, samples=samples)
        frame.planes[0].update(planes)
        frame.sample_rate = rate
        frame.pts = 0
        resampler = av.AudioResampler(
            format=stream.codec_context.format or "s16", layout=layout, rate=rate,
            frame_size=stream.codec_context.frame_size or 0)
        for part in [*resampler.resample(frame), *resampler.resample(None)]:
            for packet in stream.encode(part):
                target.mux(packet)
        for packet in stream.encode(None):
            target.mux(packet)
    return out.getvalue()


def wav(channels, width, rate, samples):
    out = io.BytesIO()
    with wave.open(out, "wb") as target:
        target.setnchannels(channels)
        target.setsampwidth(width)
        target.setframerate(rate)
        target.writeframes(bytes(n * 7 & 255 for n in range(samples * channels * width)))
    return out.getvalue()


def chunk(name, body):
    return name + struct.pack("<I", len(body)) + body + b"\0" * (len(body) & 1)


def riff(*chunks, head=b"RIFF"):
    body = b"".join(chunks)
    return head + struct.pack("<I", len(body) + 4) + b"WAVE" + body


def pcm(channels, rate, bits, code=1):
    block = channels * ((bits + 7) // 8)
    return struct.pack("<HHIIHH", code, channels, rate, rate * block, block, bits)


EXTENSIBLE = bytes.fromhex("0100000000001000800000aa00389b71")


def rf64(samples):
    body = bytes(n & 255 for n in range(samples * 2))
    rest = chunk(b"fmt ", pcm(1, 8000, 16)) + b"data" + b"\xff" * 4 + body
    sizes = chunk(b"ds64", struct.pack(
        "<QQQI", 4 + 36 + len(rest), len(body), samples, 0))
    return b"RF64" + b"\xff" * 4 + b"WAVE" + sizes + rest


def streamed_wav(samples):
    """What a program writes that cannot seek back: the lengths are all ones."""
    return b"RIFF" + b"\xff" * 4 + b"WAVE" + chunk(b"fmt ", pcm(1, 8000, 16)) \
        + b"data" + b"\xff" * 4 + bytes(samples * 2)


def vbri(mp3):
    """The counting frame of an MP3 file replaced by one of Fraunhofer's kind."""
    at = mp3.index(b"Xing") if b"Xing" in mp3 else mp3.index(b"Info")
    start = at - 36
    frames, size = struct.unpack(">II", mp3[at + 8:at + 16])
    frame = bytearray(mp3[start:at])
    tag = b"VBRI" + struct.pack(">HHHIIHHHH", 1, 0, 75, size, frames, 0, 1, 2, 1)
    length = mp3.index(mp3[start:start + 2], start + 40) - start
    return mp3[:start] + bytes(frame) + tag + bytes(length - 36 - len(tag)) + mp3[start + length:]


def without_count(mp3):
    """The counting frame taken away."""
    at = mp3.index(b"Xing") if b"Xing" in mp3 else mp3.index(b"Info")
    start = at - 36 if mp3[at - 36:at - 34] in (b"\xff\xfb", b"\xff\xfa") else at - 21
    following = mp3.index(mp3[start:start + 2], start + 40)
    return mp3[following:]


def id3(body_size):
    """ID3v2.3 with a title and room, of which the size is written in seven bits a byte."""
    frame = b"TIT2" + struct.pack(">IH", 6, 0) + b"\0Story"
    body = frame + bytes(body_size - len(frame))
    size = bytes(len(body) >> shift & 127 for shift in (21, 14, 7, 0))
    return b"ID3\x03\0\0" + size + body


def boxes(data, start=0, end=None):
    end = len(data) if end is None else end
    while start < end:
        size, name = struct.unpack(">I4s", data[start:start + 8])
        yield name, start, size
        start += size


def long_headers(m4a):
    """mvhd, tkhd and mdhd rewritten with 64-bit times, in a file whose moov stands last."""
    def rewritten(name, body):
        if name in (b"moov", b"trak", b"mdia"):
            return box(name, b"".join(
                rewritten(inner, body[at + 8:at + size]) for inner, at, size in boxes(body)))
        if name == b"mvhd" or name == b"mdhd":
            made, changed, scale, length = struct.unpack(">IIII", body[4:20])
            return box(name, b"\x01" + body[1:4] + struct.pack(
                ">QQIQ", made, changed, scale, length) + body[20:])
        if name == b"tkhd":
            made, changed, track, zero, length = struct.unpack(">IIIII", body[4:24])
            return box(name, b"\x01" + body[1:4] + struct.pack(
                ">QQIIQ", made, changed, track, zero, length) + body[24:])
        return box(name, body)

    def box(name, body):
        return struct.pack(">I4s", len(body) + 8, name) + body
    parts = list(boxes(m4a))
    assert parts[-1][0] == b"moov"
    _, at, size = parts[-1]
    return m4a[:at] + rewritten(b"moov", m4a[at + 8:at + size])


def moov_first(m4a):
    """The movie box put behind ftyp, and the chunks' places moved by its size."""
    parts = list(boxes(m4a))
    _, at, size = parts[-1]
    moov = bytearray(m4a[at:at + size])
    table = moov.index(b"stco") + 8
    count, = struct.unpack(">I", moov[table:table + 4])
    for entry in range(table + 4, table + 4 + 4 * count, 4):
        place, = struct.unpack(">I", moov[entry:entry + 4])
        moov[entry:entry + 4] = struct.pack(">I", place + size)
    head = parts[0][2]
    return m4a[:head] + moov + m4a[head:at]


def without_padding(flac):
    """The metadata blocks but the room that ffmpeg leaves for more of them."""
    kept, at, last = [], 4, False
    while not last:
        last = flac[at] & 0x80
        size = int.from_bytes(flac[at + 1:at + 4], "big") + 4
        if flac[at] & 0x7F != 1:
            kept.append(bytearray(flac[at:at + size]))
        at += size
    kept[-1][0] |= 0x80
    return flac[:4] + b"".join(kept) + flac[at:]


def unknown_samples(flac):
    """STREAMINFO whose 36 bits of total samples are zero."""
    return flac[:21] + bytes([flac[21] & 0xF0]) + bytes(4) + flac[26:]


def sounds():
    yield "pcm8.wav", "audio/wav", wav(1, 1, 8000, 2001)
    yield "pcm16-stereo.wav", "audio/wav", wav(2, 2, 11025, 700)
    yield "pcm24.wav", "audio/wav", wav(1, 3, 48000, 600)
    samples = bytes(n * 11 & 255 for n in range(3200))
    yield "float.wav", "audio/wav", riff(
        chunk(b"fmt ", pcm(1, 16000, 32, 3) + b"\0\0"), chunk(b"fact", struct.pack("<I", 800)),
        chunk(b"data", samples))
    yield "extensible.wav", "audio/wav", riff(
        chunk(b"fmt ", pcm(2, 8000, 16, 0xFFFE) + struct.pack("<HHI", 22, 16, 3) + EXTENSIBLE),
        chunk(b"data", samples))
    yield "chunks.wav", "audio/wav", riff(
        chunk(b"LIST", b"INFOISFT\x05\0\0\0odd.\0\0"), chunk(b"junk", b"odd"),
        chunk(b"fmt ", pcm(1, 8000, 16)), chunk(b"data", samples[:1998]),
        chunk(b"LIST", b"INFOICMT\x04\0\0\0done"))
    yield "rf64.wav", "audio/wav", rf64(1600)
    yield "streamed.wav", "audio/wav", streamed_wav(1600)
    cbr = encoded("libmp3lame", "mp3", 0.7, 44100, bit_rate=32000, name="x.mp3",
                  options={"id3v2_version": "0"})
    yield "cbr-info.mp3", "audio/mpeg", cbr
    vbr = encoded("libmp3lame", "mp3", 0.4, 44100, "stereo", name="x.mp3",
                  options={"id3v2_version": "0"},
                  stream_options={"flags": "+qscale", "global_quality": str(9 * 118)})
    yield "vbr-xing.mp3", "audio/mpeg", vbr
    yield "id3.mp3", "audio/mpeg", id3(300) + cbr
    yield "vbri.mp3", "audio/mpeg", vbri(vbr)
    yield "uncounted.mp3", "audio/mpeg", without_count(cbr)
    yield "mpeg2.mp3", "audio/mpeg", encoded(
        "libmp3lame", "mp3", 0.9, 22050, bit_rate=16000, name="x.mp3",
        options={"id3v2_version": "0"})
    yield "mpeg25.mp3", "audio/mpeg", encoded(
        "libmp3lame", "mp3", 1.1, 8000, bit_rate=8000, name="x.mp3",
        options={"id3v2_version": "4"})
    flac = encoded("flac", "flac", 0.15, 8000, name="x.flac")
    yield "plain.flac", "audio/flac", flac
    yield "stereo.flac", "audio/flac", without_padding(
        encoded("flac", "flac", 0.05, 44100, "stereo", name="x.flac"))
    yield "unknown.flac", "audio/flac", unknown_samples(without_padding(flac))
    m4a = encoded("aac", "ipod", 0.8, 16000, bit_rate=16000, name="x.m4a")
    yield "moov-last.m4a", "audio/mp4", m4a
    yield "moov-first.m4a", "audio/mp4", moov_first(encoded(
        "aac", "ipod", 0.5, 44100, "stereo", bit_rate=32000, name="x.m4a"))
    yield "long-times.m4a", "audio/mp4", long_headers(m4a)
    yield "fragments.m4a", "audio/mp4", encoded(
        "aac", "ipod", 0.5, 16000, bit_rate=16000, name="x.m4a",
        options={"movflags": "frag_keyframe+empty_moov+default_base_moof"})


def papers():
    yield "one.pdf", "application/pdf", b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj
trailer<</Root 1 0 R>>
%%EOF
"""


# --- what others read ------------------------------------------------------------------------

def pixels(data):
    try:
        with Image.open(io.BytesIO(data)) as image:
            return image.size
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, struct.error,
            Image.DecompressionBombError, IndexError, OverflowError, EOFError, TypeError):
        return None


def length(data, name):
    """Seconds by mutagen's reading of the header."""
    stream = io.BytesIO(data)
    stream.name = name
    try:
        found = mutagen.File(stream)
    except Exception:  # it is given damaged files
        return None
    return found.info.length if found is not None and found.info else None


def decoded(data):
    """Seconds of the samples that ffmpeg's decoders give."""
    total = 0
    with av.open(io.BytesIO(data)) as source:
        stream = source.streams.audio[0]
        for frame in source.decode(stream):
            total += frame.samples
        return total / stream.rate


def playing(data):
    """Seconds that ffmpeg takes a file to play, by its headers where it believes them."""
    try:
        with av.open(io.BytesIO(data)) as source:
            return source.duration / av.time_base if source.duration else None
    except (av.FFmpegError, ValueError, IndexError):
        return None


def milliseconds_of(seconds):
    return None if seconds is None else int(seconds * 1000 + 1e-6)


def told(value):
    return "-" if value is None else str(value)


def damaged(sample, data):
    """A length that is kept and bytes that are written over the head of it."""
    kept = len(data)
    if RANDOM.random() < 0.4:
        kept = RANDOM.choice([RANDOM.randrange(0, 64), RANDOM.randrange(0, len(data) + 1)])
    patches = {}
    if RANDOM.random() < 0.85 and kept:
        for _ in range(RANDOM.choice([1, 1, 1, 2, 4, 8, 40])):
            place = RANDOM.randrange(0, min(kept, RANDOM.choice([48, 200, 4000])))
            patches[place] = RANDOM.choice(
                [data[place] ^ 1 << RANDOM.randrange(8), RANDOM.randrange(256), 0, 255])
    copy = bytearray(data[:kept])
    for place, byte in patches.items():
        copy[place] = byte
    return kept, patches, bytes(copy)


def main():
    samples = []
    lines = ["# sample\ttype\twidth\theight\tmilliseconds; by generate.py"]
    for name, kind, data in [*pictures(), *sounds(), *papers()]:
        (HERE / name).write_bytes(data)
        samples.append((name, kind, data))
        size, milliseconds = None, None
        if kind.startswith("image/"):
            size = pixels(data)
            assert size, name
        elif kind.startswith("audio/"):
            milliseconds = milliseconds_of(
                playing(data) if kind == "audio/mp4" else decoded(data))
        width, height = size or (None, None)
        lines.append("\t".join(
            [name, kind, told(width), told(height),
             told(milliseconds)]))
    (HERE / "samples.tsv").write_text("\n".join(lines) + "\n")

    lines = ["# sample\tkept\tbytes\twidth\theight\tffmpeg\tmutagen; by generate.py"]
    while len(lines) <= DAMAGED:
        name, kind, data = samples[len(lines) % len(samples)]
        kept, patches, copy = damaged(name, data)
        size = pixels(copy) if kind.startswith("image/") else None
        is_sound = kind.startswith("audio/")
        width, height = size or (None, None)
        lines.append("\t".join(
            [name, str(kept), ",".join(f"{p}:{b}" for p, b in sorted(patches.items())) or "-",
             told(width), told(height),
             told(milliseconds_of(playing(copy)) if is_sound else None),
             told(milliseconds_of(length(copy, name)) if is_sound else None)]))
    (HERE / "damaged.tsv").write_text("\n".join(lines) + "\n")


main()
