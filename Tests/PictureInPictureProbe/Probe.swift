import Glibc
import SwiftPlayKit

/// Writes a line at once.
func report(_ line: String) {
    print(line)
    fflush(nil)
}

/// Does what the lines say.
@MainActor
final class Probe {
    private var scenes: [String: Scene] = [:]

    nonisolated init() {}

    func perform(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        guard let verb = words.first else { return }
        if verb == "quit" { return quit() }
        guard words.count > 1 else { return fail(line) }
        let name = words[1], argument = words.count > 2 ? words[2] : ""
        do {
            switch verb {
            // A film in a window of that title; where, as --geometry has it.
            case "film":
                scenes[name] = try FilmScene(
                    name, probe: self, file: argument, geometry: words.count > 3 ? words[3] : nil)
            // Pictures that the program draws, in a window of that title.
            case "drawing": scenes[name] = try DrawnScene(name, probe: self, geometry: words.count > 2 ? words[2] : nil)
            default:
                guard let scene = scenes[name] else { return fail(line) }
                if !scene.perform(verb, argument, Array(words.dropFirst(3)), scenes) { fail(line) }
            }
        } catch {
            report("\(name) cannot: \(error)")
        }
    }

    private func fail(_ line: String) { report("not understood: \(line)") }

    private func quit() {
        for scene in scenes.values { scene.close() }
        exit(0)
    }
}
