import Glibc
import SwiftPlayKit
import SystemCalls

/// Executes the commands of keys.
extension PlayerApp {
    /// Reads the key bindings of `input.conf`, and warns about lines that are skipped.
    func loadKeyMap() {
        let configuration = settings.configuration
        guard let path = configuration.inputPath else { return keyMap = KeyMap() }
        var bindings: [InputConfiguration.Binding] = []
        do throws(SystemCallError) {
            let input = InputConfiguration(parsing: try ConfigurationFiles.content(path))
            bindings = input.bindings
            for problem in input.problems { configurationLogger.warning("\(path):\(problem.line): \(problem.reason)") }
        } catch {
            // Use only the built-in bindings if there is no `input.conf`.
            if error.number != ENOENT || configuration.isInputPathGiven {
                configurationLogger.warning("cannot read \(path): \(error.reason)")
            }
        }
        keyMap = KeyMap(bindings: bindings, keepsDefaults: configuration.keepsDefaultBindings)
    }

    /// Executes the commands of a pressed key, given by a name that mpv accepts for the key.
    func pressKey(_ keyName: String) {
        let name = KeyName.canonical(keyName) ?? keyName
        if performClientBinding(of: name) { return }
        for step in keyMap.steps(for: name) {
            switch step {
            case .command(let command): perform(command)
            case .text(let command):
                let target = commandTarget
                let outcome = IPCSession(name: "input", target: target).runCommand(command, on: target)
                guard case .failure(let error) = outcome else { continue }
                let bindingLocation =
                    settings.configuration.inputPath.map { "\($0):\(keyMap.line(of: name) ?? 0)" } ?? name
                configurationLogger.warning("\(bindingLocation): the command \(command.name) failed: \(error.rawValue)")
            }
        }
    }

    /// The object that executes text commands, with the present state of the program.
    var commandTarget: PlayerTarget {
        let target = ipcTarget ?? PlayerTarget(player: player, layer: layer, settings: settings)
        target.app = self
        ipcTarget = target
        copyState(to: target)
        return target
    }
}
