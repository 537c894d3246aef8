/// The target address of an HTTP redirect (RFC 9110, 15.4).
enum HTTPRedirect {
    /// Returns the address to which a response redirects.
    ///
    /// - Parameters:
    ///   - reply: The start of the server's response, including at least the headers.
    ///   - address: The requested `http` or `https` address.
    /// - Returns: An absolute address; nil if the response is not a redirect.
    static func target(of reply: [UInt8], from address: String) -> String? {
        let lines = String(decoding: reply, as: UTF8.self).split(whereSeparator: \.isNewline)
        let status = lines.first?.split(separator: " ") ?? []
        guard status.count >= 2, status[0].hasPrefix("HTTP/"), ["301", "302", "303", "307", "308"].contains(status[1])
        else { return nil }
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == "location" else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            return value.isEmpty ? nil : resolve(String(value), against: address)
        }
        return nil
    }

    /// Returns the absolute address of a redirect's reference: the reference may be absolute, or state only a host, a
    /// path, or a file relative to the folder of `address`.
    static func resolve(_ reference: String, against address: String) -> String? {
        if reference.contains("://") { return reference }
        guard let mark = address.range(of: "://") else { return nil }
        if reference.hasPrefix("//") { return address[..<mark.lowerBound] + ":" + reference }
        let rest = address[mark.upperBound...]
        let hostEnd = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        let server = address[..<hostEnd]
        if reference.hasPrefix("/") { return server + reference }
        let path = rest[hostEnd...].prefix { !"?#".contains($0) }
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
        return server + folder + reference
    }
}

extension String {
    /// Returns the first occurrence of `text`; only newer versions of the standard library have this method.
    fileprivate func range(of text: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
