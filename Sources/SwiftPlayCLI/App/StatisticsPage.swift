import SwiftPlayKit

/// The text of the statistics page (`i`) and of the key list (`?`).
enum StatisticsPage {
    /// Returns the lines of the statistics page.
    static func lines(_ player: Player, output: String) -> [String] {
        guard let item = player.currentItem else { return ["No file"] }
        let statistics = player.statistics
        var lines = ["File: " + item.displayedName]
        if let container = item.containerInfo?.container { lines.append("Format: \(container)") }
        let duration = item.duration.seconds
        lines.append(
            "Time: \(ClockText.text(player.currentTime().seconds))"
                + (duration.isFinite ? " / \(ClockText.text(duration))" : ""))
        if let buffering = item.bufferingState, buffering.readAhead > 0 {
            lines.append("Read ahead: \(tenths(Double(buffering.readAhead) / 1e9)) s")
        }
        if let codec = item.videoCodec, let size = item.codedSize {
            let rate = item.nominalFrameRate > 0 ? ", \(tenths(item.nominalFrameRate, 1000)) fps" : ""
            lines.append("Video: \(codec), \(size.width)x\(size.height)\(rate), output \(output)")
            lines.append(
                "Frames: \(statistics.framesPresented) shown, \(statistics.framesDropped) dropped, "
                    + "\(statistics.framesLate) late")
            lines.append(
                "Decoding: \(milliseconds(statistics.decodeTimes)), drawing: "
                    + milliseconds(statistics.presentTimes))
        }
        if let codec = item.audioCodec {
            lines.append("Audio: \(codec), underruns: \(statistics.audio.underruns)")
            lines.append("A-V: \(tenths(statistics.synchronisation.offset * 1000)) ms")
        }
        return lines
    }

    /// Returns the lines of the key list: the built-in keys, and the keys of `input.conf`.
    static func keyLines(_ map: KeyMap) -> [String] {
        let configuredKeys = map.configuredKeys
        return builtInKeys + (configuredKeys.isEmpty ? [] : ["input.conf: " + configuredKeys.joined(separator: "  ")])
    }

    private static let builtInKeys = [
        "SPACE  pause        q  quit        Q  quit, remember the position", "LEFT RIGHT  5 s        UP DOWN  1 min",
        ". ,  frame step        [ ] { } BACKSPACE  speed",
        "9 0  volume        m  mute        Ctrl+- Ctrl++  audio delay",
        "f  full screen        p  Picture-in-Picture", "< >  previous, next file        PGUP PGDWN  chapter",
        "j J v  subtitles        z x  delay        F G  size        r R  position",
        "#  audio track        _  video track        h H  quality", "l  A-B loop        L  repeat the file",
        "s  screenshot        S  without subtitles", "i I  statistics        ?  this list        o  time",
    ]

    /// Returns a number rounded to a tenth, or to another fraction.
    private static func tenths(_ value: Double, _ fraction: Double = 10) -> String {
        value.isFinite ? "\((value * fraction).rounded() / fraction)" : "?"
    }

    /// Returns the mean of durations, such as `1.2 ms`.
    private static func milliseconds(_ histogram: PlaybackStatistics.Histogram) -> String {
        histogram.mean.map { tenths($0 * 1000) + " ms" } ?? "-"
    }
}
