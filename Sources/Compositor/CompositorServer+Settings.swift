import CompositorProtocol
import SystemCalls

/// The user's settings.
extension CompositorServer {
    /// Reads the user's settings again and notifies the programs of changes.
    func readSettings() {
        guard settings.refresh() else { return }
        applySettings()
        for program in programs.registry.all where program.version != nil {
            if program.services.contains(.audio) { audio.applyBackgroundRight(of: program.id, now: MonotonicTime.now) }
            sendSettings(to: program.id)
        }
    }

    /// Applies the user's current settings to all services.
    func applySettings() {
        programs.registry.allowsBackgroundAudio = settings.settings.allowsBackgroundAudio
        windows.setWindowLimit(settings.settings.maximumWindowCount)
        windows.isOnAllWorkspaces = settings.settings.isOnAllWorkspaces
        externalPlayers.isEnabled = settings.settings.pausesOtherPlayers
    }

    /// Sends a program the settings that concern it.
    func sendSettings(to id: UInt64) {
        guard programs.registry[id]?.supports(ProtocolVersion.settings) == true else { return }
        programs.send(
            .settings(startsPictureInPictureAutomatically: settings.settings.startsPictureInPictureAutomatically),
            to: id)
    }
}
