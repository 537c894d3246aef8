import SwiftPlayKit

/// mpv's names for the values of `--deinterlace` and of the property `deinterlace`.
extension Player.Deinterlacing {
    init?(name: String) {
        switch name {
        case "auto": self = .automatic
        case "yes", "": self = .always
        case "no": self = .never
        default: return nil
        }
    }

    var name: String {
        switch self {
        case .automatic: "auto"
        case .always: "yes"
        case .never: "no"
        }
    }
}
