/// The looks of a page, and what it may show.
package enum PageStyle {
  /// A page of a folder, with what it may show of that.
  case folder(rules: String, policy: String)
  /// A sheet of A4, black on white, which may show nothing, with its rules besides those of all sheets.
  case sheet(margin: String, font: String, heading: String, rules: String)

  /// Everything before the contents of a page.
  package func head(_ title: String) -> HTML {
    let viewport: HTML =
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    let referrer: HTML = "<meta name=\"referrer\" content=\"no-referrer\">\n"
    let (doctype, policy, more, rules): (HTML, HTML, HTML, String) =
      switch self {
      case .folder(let rules, let policy):
        (
          "doctype", "\(policy)",
          "\(viewport)\(referrer)<meta name=\"robots\" content=\"noindex\">\n", rules
        )
      case .sheet(let margin, let font, let heading, let rules):
        (
          "DOCTYPE", "default-src 'none'; style-src 'unsafe-inline'", "\(referrer)\(viewport)",
          """

          @page { size: A4; margin: \(margin); }
          * { box-sizing: border-box; }
          html { font: \(font) "Liberation Sans", Arial, "DejaVu Sans", sans-serif; color: #000; background: #fff; }
          body { margin: 0; overflow-wrap: anywhere; }
          main { max-width: 178mm; margin: 0 auto; }
          h1, h2, p, ol, table { margin: 0; }
          h1 { font-size: 20pt; line-height: 1.2; }
          h2 { \(heading) }
          \(rules)
          """
        )
      }
    return """
      <!\(doctype) html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      \(more)<title>\(title)</title>
      <style>\(HTML(stringLiteral: rules))</style>
      </head>
      <body>
      <main>

      """
  }

  /// The rules of a letter on paper, for a phone as for a sheet, in the light and in the dark.
  ///
  /// Texts from outside are clipped to their boxes with some room for tall marks, so that a tower of
  /// them reaches nobody else's line; `plaintext` gives each paragraph of a text its own direction.
  package static let letter = """

    :root {
      color-scheme: light dark;
      --paper: #fbf8f2; --sheet: #fffdf9; --ink: #2b2520; --soft: #6a5f55; --line: #e4dacb;
      --accent: #7b4420;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --paper: #181512; --sheet: #211d19; --ink: #ebe3d9; --soft: #b3a698; --line: #3d352d;
        --accent: #e0aa79;
      }
    }
    * { box-sizing: border-box; }
    html {
      font: 112.5%/1.65 "Iowan Old Style", "Palatino Linotype", Palatino, "URW Palladio L", "Book Antiqua",
        Georgia, "Noto Serif", "DejaVu Serif", serif;
      -webkit-text-size-adjust: 100%; text-size-adjust: 100%;
    }
    body { margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: anywhere; }
    main { max-width: 43rem; margin: 0 auto; padding: clamp(1.5rem, 6vw, 5rem) clamp(1rem, 5vw, 2.5rem); }
    h1, h2, h3, p, dl, dd, ul, ol, figure, blockquote { margin: 0; }
    h1, h2 { font-weight: 400; line-height: 1.25; text-wrap: balance; }
    h1, h2, h3, dd, figcaption, .words, bdi { unicode-bidi: isolate; }
    h1, h2, h3, dd, figcaption, nav li, .later li, .files li, .words {
      overflow: clip; overflow-clip-margin: .35em;
    }
    a { color: var(--accent); text-underline-offset: .18em; text-decoration-thickness: 1px; }
    a:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; border-radius: 2px; }

    header { text-align: center; padding-bottom: 3rem; }
    .for { color: var(--soft); font-style: italic; font-size: 1.15rem; }
    h1 { font-size: clamp(2.1rem, 8vw, 3.2rem); padding: .1em 0 .15em; }
    .from { font-size: 1.15rem; font-style: italic; }
    .from bdi { font-style: normal; }
    .date { color: var(--soft); font-size: .95rem; padding-top: .3rem; }
    .lead { max-width: 31rem; margin: 2rem auto 0; color: var(--soft); font-size: .95rem; }
    header::after {
      content: ""; display: block; width: 5rem; margin: 2.5rem auto 0; border-top: 1px solid var(--line);
    }

    nav { margin: 0 auto 3rem; }
    nav ol { list-style: none; padding: 0; text-align: center; }
    nav li { padding: .15rem 0; }

    article {
      background: var(--sheet); border: 1px solid var(--line); border-radius: 4px;
      padding: clamp(1.25rem, 5vw, 2.5rem); margin-bottom: 2.5rem;
    }
    article > * + *, .later > * + *, .sealed > * + * { margin-top: 1.5rem; }
    h2 { font-size: clamp(1.45rem, 5.5vw, 1.9rem); }
    h3 { font-size: 1.05rem; }
    .words { white-space: pre-wrap; unicode-bidi: plaintext; text-align: start; tab-size: 4; }
    .message { font-size: 1.15rem; line-height: 1.75; border-inline-start: 2px solid var(--accent);
      padding-inline-start: clamp(.9rem, 4vw, 1.5rem); }
    .message footer { margin-top: .8rem; font-style: italic; color: var(--soft); }
    .message footer::before { content: "— "; }

    .photo { text-align: center; }
    .photo a { display: inline-block; max-width: 100%; line-height: 0; }
    img, video { max-width: 100%; height: auto; max-height: 85vh; border-radius: 3px; }
    img { width: auto; background: var(--line); }
    video { width: 100%; background: #000; }
    audio { display: block; width: 100%; }
    figcaption { color: var(--soft); font-size: .9rem; padding-top: .5rem; }
    .text { border-top: 1px solid var(--line); border-bottom: 1px solid var(--line); padding: 1.25rem 0; }
    .text figcaption { padding-top: 1rem; }
    .files { list-style: none; padding: 0; }
    .files li { padding: .45rem 0; border-top: 1px solid var(--line); }
    .facts, .name { color: var(--soft); font-size: .85rem; }
    .facts { display: block; }

    dl { font-size: .95rem; border-top: 1px solid var(--line); padding-top: 1rem; }
    dl div { display: grid; grid-template-columns: 8.5rem minmax(0, 1fr); gap: 0 1rem; padding: .15rem 0; }
    dt { color: var(--soft); }
    dd { text-align: start; }

    .sealed { border-top: 1px solid var(--line); padding-top: 1.25rem; font-size: .95rem; }
    .sealed > * + * { margin-top: .8rem; }
    .sealed ol { padding-inline-start: 1.4em; }
    .sealed li, #steps li { padding: .2rem 0; }
    pre {
      margin: .35rem 0; padding: .5rem .75rem; white-space: pre-wrap; background: var(--paper);
      border: 1px solid var(--line); border-radius: 3px;
    }
    code { font: .85em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }

    .later { padding: 0 clamp(1.25rem, 5vw, 2.5rem) 1rem; color: var(--soft); }
    .later bdi { color: var(--ink); }
    .later > * + * { margin-top: .6rem; }
    main > footer { color: var(--soft); font-size: .85rem; text-align: center; padding-top: 1rem; }

    @media (max-width: 34rem) {
      dl div { display: block; padding: .3rem 0; }
    }
    @media print {
      :root {
        --paper: #fff; --sheet: #fff; --ink: #000; --soft: #444; --line: #bbb; --accent: #000;
        color-scheme: light;
      }
      @page { margin: 2cm; }
      html { font-size: 11pt; }
      main { max-width: none; padding: 0; }
      header { padding-bottom: 1.5rem; }
      nav a { text-decoration: none; }
      article { border: 0; border-radius: 0; padding: 0; margin: 0 0 2rem; }
      article + article, .later { break-before: page; }
      h2, h3, figcaption { break-after: avoid; break-inside: avoid; }
      .photo, .player, .files li, dl div, .sealed li { break-inside: avoid; }
      p, .words { orphans: 3; widows: 3; }
      img { max-height: 20cm; }
      audio, video { display: none; }
      .later { padding: 0; }
      .files a::after, .player a::after { content: " (" attr(href) ")"; font-size: .85em; }
      main > footer { display: none; }
    }

    """
}
