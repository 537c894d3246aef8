import TransferPolicy

/// The inputs of a transfer that could not be stored, and are handled again later.
struct DeferredInputs {
    /// The last command of the user or the program. A cancellation is not replaced, because it is final.
    private var command: TransferMachine.Input?
    /// The last other input.
    private var report: TransferMachine.Input?

    /// Adds an input.
    mutating func add(_ input: TransferMachine.Input) {
        switch input {
        case .cancel, .resume, .suspend, .acknowledge: if command != .cancel { command = input }
        default: report = input
        }
    }

    /// The inputs in the order in which they are handled.
    var inputs: [TransferMachine.Input] { [report, command].compactMap { $0 } }
}
