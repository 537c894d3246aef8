import SwiftPlayKit

extension Player {
    /// Returns a player that opens no audio device.
    static func silent() throws -> Player {
        var configuration = Configuration()
        configuration.audioOutput = .none
        return try Player(configuration: configuration)
    }
}
