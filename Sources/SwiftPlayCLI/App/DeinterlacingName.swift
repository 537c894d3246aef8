import SwiftPlayKit

/// mpv's names for the values of `--deinterlace` and of the property `deinterlace`.
extension Player.Deinterlacing {
    /// Creates a deinterlacing mode from mpv's name (`auto`, `yes` or `no`); nil for an unknown name.
    init?(name: String) {
        switch name {
        case "auto": self = .automatic
        case "yes", "": self = .always
        case "no": self = .never
        default: return nil
        }
    }

    /// mpv's name of the deinterlacing mode: `auto`, `yes` or `no`.
    var name: String {
        switch self {
        case .automatic: "auto"
        case .always: "yes"
        case .never: "no"
        }
    }
}
