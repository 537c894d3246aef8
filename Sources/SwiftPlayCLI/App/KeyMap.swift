/// The commands of all keys: those of `input.conf`, and the built-in ones of ``KeyBindings``.
struct KeyMap: Sendable, Equatable {
    /// A command that a key triggers.
    enum Step: Sendable, Equatable {
        /// A command that the program executes and confirms with a message.
        case command(KeyBindings.Command)
        /// Any other command, which is executed as if an IPC client had sent it.
        case text(IPCCommand)
    }

    /// A key that `input.conf` binds.
    private struct ConfiguredKey: Sendable, Equatable {
        var binding: InputConfiguration.Binding
        /// The steps; empty for an ignored key.
        var steps: [Step]
    }

    /// The keys that `input.conf` binds.
    private var configuredKeysByName: [String: ConfiguredKey] = [:]
    /// Whether keys that `input.conf` does not bind have their built-in commands.
    let keepsDefaults: Bool

    /// Combines the bindings of `input.conf` with the built-in ones.
    ///
    /// - Parameters:
    ///   - bindings: The bindings of `input.conf`.
    ///   - keepsDefaults: Whether the other keys keep their built-in commands.
    init(bindings: [InputConfiguration.Binding] = [], keepsDefaults: Bool = true) {
        self.keepsDefaults = keepsDefaults
        for binding in bindings {
            let steps = binding.commands.map { KeyBindings.Command($0).map(Step.command) ?? .text($0) }
            configuredKeysByName[binding.key] = ConfiguredKey(binding: binding, steps: steps)
        }
    }

    /// Returns the steps of a key, given by mpv's name of the key; empty for an unused key.
    func steps(for key: String) -> [Step] {
        if let binding = configuredKeysByName[key] { return binding.steps }
        guard keepsDefaults, let command = KeyBindings.command(for: key) else { return [] }
        return [.command(command)]
    }

    /// Returns the line of `input.conf` that binds a key; nil for other keys.
    func line(of key: String) -> Int? { configuredKeysByName[key]?.binding.line }

    /// The bindings of `input.conf` that apply, in the order of their lines.
    var configuredBindings: [InputConfiguration.Binding] {
        configuredKeysByName.values.map(\.binding).sorted { $0.line < $1.line }
    }

    /// The keys that `input.conf` binds to commands, sorted.
    var configuredKeys: [String] { configuredKeysByName.filter { !$0.value.steps.isEmpty }.keys.sorted() }
}
