import SwiftPlayKit

/// The line that the program prints at its end if it has no video output.
enum PlaybackSummary {
    /// Returns the line, which names Picture-in-Picture only if the picture has moved there.
    ///
    /// - Parameters:
    ///   - playedCount: The number of files that were played.
    ///   - fileCount: The number of files in the playlist.
    static func text(of statistics: PlaybackStatistics, playedCount: Int, fileCount: Int) -> String {
        let frames = statistics.framesPresented == 1 ? "1 frame" : "\(statistics.framesPresented) frames"
        let counts = "\(frames) shown, \(statistics.framesDropped) dropped"
        let moveCount = statistics.handoffs.count { $0.direction == .toPictureInPicture }
        let moves =
            switch moveCount {
            case 0: ""
            case 1: ", moved to Picture-in-Picture once"
            default: ", moved to Picture-in-Picture \(moveCount) times"
            }
        return "played \(playedCount) of \(fileCount): \(counts)\(moves)"
    }
}
