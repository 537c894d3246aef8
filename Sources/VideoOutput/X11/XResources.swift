import CXCB
import Glibc

/// The X resources: the user's settings that `xrdb` stores in the property `RESOURCE_MANAGER` of the first root window,
/// one line `NAME: VALUE` for each setting.
struct XResources: Equatable, Sendable {
    /// The values of the settings by their names.
    private var values: [Substring: Substring] = [:]

    /// The maximum length of the property in 32-bit words; settings beyond it are ignored.
    private static let wordLimit: UInt32 = 16_384

    /// Parses the text of the property.
    init(parsing text: String) {
        for line in text.split(separator: "\n") where !line.hasPrefix("!") {
            guard let colonIndex = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colonIndex)...].drop { $0 == " " || $0 == "\t" }
            values[line[..<colonIndex]] = value
        }
    }

    /// Sends the request for the property.
    static func request(_ connection: OpaquePointer, root: xcb_window_t) -> xcb_get_property_cookie_t {
        xcb_get_property(
            connection, 0, root, XCB_ATOM_RESOURCE_MANAGER.rawValue, XCB_ATOM_STRING.rawValue, 0, wordLimit)
    }

    /// Waits for the reply and returns the settings; empty if the property does not exist.
    static func receive(_ connection: OpaquePointer, _ cookie: xcb_get_property_cookie_t) -> XResources {
        guard let reply = xcb_get_property_reply(connection, cookie, nil) else { return XResources(parsing: "") }
        defer { free(reply) }
        let bytes = UnsafeRawBufferPointer(
            start: xcb_get_property_value(reply), count: Int(xcb_get_property_value_length(reply)))
        return XResources(parsing: String(decoding: bytes, as: UTF8.self))
    }

    /// The factor by which text and controls are larger than at 96 dots per inch: `Xft.dpi` divided by 96, limited to
    /// 1…8. 1 if the setting is missing or invalid.
    var displayScale: Double {
        guard let text = values["Xft.dpi"], let dotsPerInch = Double(text.prefix { $0 != " " && $0 != "\t" }),
            dotsPerInch.isFinite
        else { return 1 }
        return min(8, max(1, dotsPerInch / 96))
    }
}
