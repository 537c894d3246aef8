import Glibc
import SwiftPlayKit

/// Writes a line to standard output and flushes it, so that the test reads the line at once.
func report(_ line: String) {
    print(line)
    fflush(nil)
}

/// Performs the commands of a test. Each command line consists of a verb, the name of a scene and arguments. A scene is
/// a window that shows a media file, or frames that this program draws.
@MainActor
final class Probe {
    /// The scenes with their windows, by name.
    private var scenes: [String: Scene] = [:]

    nonisolated init() {}

    func perform(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        guard let verb = words.first else { return }
        if verb == "quit" { return quit() }
        guard words.count > 1 else { return reportFailure(of: line) }
        let name = words[1], argument = words.count > 2 ? words[2] : ""
        do {
            switch verb {
            // film NAME FILE [GEOMETRY]: plays a file in a window titled NAME. GEOMETRY is as in swiftplay --geometry.
            case "film":
                scenes[name] = try FilmScene(
                    name, probe: self, file: argument, geometry: words.count > 3 ? words[3] : nil)
            // drawing NAME [GEOMETRY]: shows frames that the probe draws, in a window titled NAME.
            case "drawing": scenes[name] = try DrawnScene(name, probe: self, geometry: words.count > 2 ? words[2] : nil)
            default:
                guard let scene = scenes[name] else { return reportFailure(of: line) }
                if !scene.perform(verb, argument, Array(words.dropFirst(3)), scenes) { reportFailure(of: line) }
            }
        } catch {
            report("\(name) cannot: \(error)")
        }
    }

    /// Writes a line that a command line was not understood or failed.
    private func reportFailure(of line: String) { report("not understood: \(line)") }

    private func quit() {
        for scene in scenes.values { scene.close() }
        exit(0)
    }
}
