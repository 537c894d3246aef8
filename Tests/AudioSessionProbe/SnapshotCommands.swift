import SwiftPlay

/// The commands about the program's picture in the overview.
@MainActor
final class SnapshotCommands {
    private var player: Player?
    private var layer: PlayerLayer?

    nonisolated init() {}

    /// Performs a command; returns false if the verb is unknown.
    func perform(_ verb: String, _ arguments: [String]) -> Bool {
        let argument = arguments.first ?? ""
        switch verb {
        // show FILE SECONDS: shows a still picture in a layer without a window.
        case "show":
            let seconds = arguments.count > 1 ? Double(arguments[1]) ?? 0 : 0
            Task { await show(argument, seconds: seconds) }
        case "snapshot": Application.shared.setNeedsSnapshot()
        case "identifier": Application.shared.snapshotIdentifier = argument
        case "private": Application.shared.isSnapshotPrivate = argument == "on"
        case "ignore": Application.shared.ignoreSnapshotOnNextApplicationLaunch()
        case "remove": Application.shared.removeSnapshot()
        // window STATE: reports a window that the program draws itself.
        case "window":
            let state: Application.ActivationState? =
                switch argument {
                case "active": .foregroundActive
                case "hidden": .background
                default: nil
                }
            Application.shared.setActivationState(state, ofWindow: ObjectIdentifier(self))
        default: return false
        }
        return true
    }

    /// Shows a still picture, and returns when it is shown.
    func show(_ file: String, seconds: Double) async {
        do {
            let player = try player ?? Player(playerItem: PlayerItem(location: file))
            let layer = layer ?? PlayerLayer(player: player)
            (self.player, self.layer) = (player, layer)
            let isFinished = await player.seek(
                to: MediaTime(seconds: seconds), toleranceBefore: .zero, toleranceAfter: .zero)
            for await isReady in layer.values(of: \.isReadyForDisplay) where isReady { break }
            report("shown \(isFinished)")
        } catch { report("cannot: \(error)") }
    }
}
