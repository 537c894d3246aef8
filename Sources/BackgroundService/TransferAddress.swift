/// The parts of an address of a transfer (RFC 3986) that the service needs.
struct TransferAddress: Equatable {
    /// The scheme in lower case: `http` or `https`.
    let scheme: String
    /// The percent-decoded user name and password before the host, as `user:password`; nil if there are none.
    let credentials: [UInt8]?
    /// The host in lower case and the port, such as `example.org:443`.
    let host: String
    /// The path, without query and fragment.
    let path: String
    /// The address without user name and password.
    let text: String

    /// Parses an address; nil if it is not a valid `http` or `https` address with a host.
    init?(_ address: String) {
        guard let colon = address.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        scheme = address[..<colon].lowercased()
        guard scheme == "http" || scheme == "https", address[colon...].hasPrefix("://") else { return nil }
        guard !address.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else { return nil }
        let rest = address[colon...].dropFirst(3)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let afterAuthority = rest[authority.endIndex...]
        path = String(afterAuthority.prefix { $0 != "?" && $0 != "#" })
        var hostAndPort = authority
        if let at = authority.lastIndex(of: "@") {
            credentials = Self.decoded(Array(authority[..<at].utf8))
            hostAndPort = authority[authority.index(after: at)...]
        } else {
            credentials = nil
        }
        guard let (name, port) = Self.split(hostAndPort) else { return nil }
        host = "\(name):\(port ?? (scheme == "https" ? 443 : 80))"
        text = "\(scheme)://\(hostAndPort)\(afterAuthority)"
    }

    /// Returns the host name in lower case and the port; nil if either is not valid.
    private static func split(_ text: Substring) -> (name: String, port: UInt16?)? {
        // A colon within the brackets of an IPv6 address does not begin a port.
        let afterBrackets = text.lastIndex(of: "]") ?? text.startIndex
        guard let colon = text[afterBrackets...].lastIndex(of: ":") else {
            return text.isEmpty ? nil : (text.lowercased(), nil)
        }
        let digits = text[text.index(after: colon)...]
        guard colon != text.startIndex else { return nil }
        if digits.isEmpty { return (text[..<colon].lowercased(), nil) }
        guard let port = UInt16(digits), port > 0 else { return nil }
        return (text[..<colon].lowercased(), port)
    }

    /// Returns bytes with percent-encoded ones decoded.
    private static func decoded(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [], index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = Character(UnicodeScalar(bytes[index + 1])).hexDigitValue,
                let low = Character(UnicodeScalar(bytes[index + 2])).hexDigitValue
            {
                result.append(UInt8(high * 16 + low))
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }
}

/// The header field for a user name and password (RFC 7617).
enum BasicCredentials {
    /// The letters of Base64 (RFC 4648, section 4).
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Returns the value of the field `Authorization` for `user:password`.
    static func fieldValue(_ credentials: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: credentials.count, by: 3) {
            let group = credentials[start..<min(start + 3, credentials.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for position in 0..<4 {
                text.append(
                    position <= group.count ? letters[bits >> (18 - 6 * position) & 63] : UInt8(ascii: "="))
            }
        }
        return "Basic " + String(decoding: text, as: UTF8.self)
    }
}
