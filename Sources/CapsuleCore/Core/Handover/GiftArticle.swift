/// One gift on the page.
struct GiftArticle {
  let gift: Gift
  let number: Int
  let owner: String

  var html: HTML {
    """
    <article id="gift-\(Int64(number))">
    <h2 dir="auto" lang="">\(gift.title)</h2>
    \(message)\(description)\(gift.opening == nil ? files : "")\(details)\(opening)</article>

    """
  }

  /// The message first: it is what the person reads before everything else.
  private var message: HTML {
    guard !gift.message.isEmpty else { return "" }
    let signature: HTML =
      owner.isEmpty ? "" : "<footer><bdi lang=\"\">\(owner)</bdi></footer>\n"
    return """
      <blockquote class="message">
      <div class="words" dir="auto" lang="">\(gift.message)</div>
      \(signature)</blockquote>

      """
  }

  private var description: HTML {
    guard !gift.description.isEmpty else { return "" }
    return "<div class=\"words about\" dir=\"auto\" lang=\"\">\(gift.description)</div>\n"
  }

  private var details: HTML {
    guard !gift.details.isEmpty else { return "" }
    var list: HTML = "<dl>\n"
    for detail in gift.details {
      list +=
        "<div><dt>\(detail.label)</dt><dd dir=\"auto\" lang=\"\">\(detail.value)</dd></div>\n"
    }
    list += "</dl>\n"
    return list
  }

  private var files: HTML {
    var shown: HTML = ""
    var links: HTML = ""
    for file in gift.files {
      switch file.showing {
      case .text: shown += text(file)
      case .image: shown += image(file)
      case .audio: shown += player("audio", file)
      case .video: shown += player("video", file)
      case .link: links += "<li>\(link(file))</li>\n"
      }
    }
    return links.source.isEmpty
      ? shown : "\(shown)<ul class=\"files\">\n\(links)</ul>\n"
  }

  private func text(_ file: GiftFile) -> HTML {
    """
    <figure class="text">
    <div class="words" dir="auto" lang="">\(file.text ?? "")</div>
    <figcaption>\(link(file))</figcaption>
    </figure>

    """
  }

  private func image(_ file: GiftFile) -> HTML {
    let address = HTML.address(of: file.path)
    let measures: HTML =
      if let width = file.facts.width, let height = file.facts.height, width > 0, height > 0 {
        " width=\"\(width)\" height=\"\(height)\""
      } else {
        ""
      }
    // The title is beneath; without one, a name alone means nothing to a person who cannot see it.
    let alternative = file.title.isEmpty ? "Photo: \(file.name)" : file.title
    let picture: HTML =
      "<img src=\"\(address)\" alt=\"\(alternative)\" loading=\"eager\"\(measures)>"
    let shown: HTML = file.isLinked ? "<a href=\"\(address)\">\(picture)</a>" : picture
    return """
      <figure class="photo">
      \(shown)
      <figcaption dir="auto" lang="">\(file.caption)\(caution(file))</figcaption>
      </figure>

      """
  }

  private func player(_ element: HTML, _ file: GiftFile) -> HTML {
    """
    <figure class="player">
    <\(element) controls preload="metadata" src="\(HTML.address(of: file.path))"></\(element)>
    <figcaption>\(link(file))</figcaption>
    </figure>

    """
  }

  private func link(_ file: GiftFile) -> HTML {
    let name: HTML =
      file.title.isEmpty
      ? "" : " <bdi class=\"name\" lang=\"\">\(file.name)</bdi>"
    let caption: HTML = "<bdi lang=\"\">\(file.caption)</bdi>"
    let download: HTML = file.isDownload ? " download" : ""
    let shown: HTML =
      file.isLinked
      ? "<a href=\"\(HTML.address(of: file.path))\"\(download)>\(caption)</a>" : caption
    return "\(shown)\(name) <span class=\"facts\">\(file.factsText)</span>\(caution(file))"
  }

  private func caution(_ file: GiftFile) -> HTML {
    guard let caution = file.caution else { return "" }
    return " <span class=\"facts\" dir=\"ltr\" lang=\"en\">\(caution)</span>"
  }

  private var opening: HTML {
    guard let opening = gift.opening else { return "" }
    var steps: HTML = ""
    for step in opening.steps {
      steps +=
        "<li>\(step.meaning)\n<pre><code class=\"command\">\(step.command)</code></pre></li>\n"
    }
    var needs: HTML = ""
    for sentence in opening.needs { needs += "<p>\(sentence)</p>\n" }
    let tle: HTML =
      opening.needsTimelock
      ? " and the free program <b>tle</b> (github.com/drand/tlock)" : ""
    let version: HTML = opening.needsPostQuantum ? ", version 1.3 or later" : ""
    return """
      <section class="sealed">
      <h3>This is locked</h3>
      \(needs)<p>To open it, install the free program <b>age</b> (github.com/FiloSottile/age)\(version)\(tle). \
      Open a terminal in the folder <bdi class="name" lang="">\(opening.folder)</bdi> and type these \
      lines, one after the other:</p>
      <ol>
      \(steps)</ol>
      \(files)</section>

      """
  }
}
