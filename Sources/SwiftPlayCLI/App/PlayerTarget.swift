import Dispatch
import SwiftPlayKit
import SystemCalls

/// The object through which the JSON IPC server controls the player. The server's thread calls its methods, which
/// access the thread-safe player directly and dispatch other work to the main queue.
final class PlayerTarget: IPCTarget {
    /// A snapshot of the program's state that belongs to the main queue.
    struct State: Sendable {
        /// The settings of the command line, with the changes that clients have made.
        var settings: PlaySettings
        /// The volume in percent on mpv's scale, 0 to the value of `--volume-max`.
        var volume = 100.0
        var isFullScreen = false
        var isInPictureInPicture = false
        var isPictureInPicturePossible = false
        var isPictureInPictureStalled = false
        /// Whether the current file has played to its end and is still shown.
        var isAtEnd = false
        /// Whether the display time of a still image that has been played to its end is stopped; nil without such an
        /// image.
        var isImagePaused: Bool?
        /// The index of the current entry in ``entries``, from 0.
        var playlistPosition = 0
        /// The entries of the playlist.
        var entries: [Playlist.Entry] = []
        /// Whether the playlist was shuffled.
        var isShuffled = false
        /// Whether the program waits for a file to play.
        var isIdle = false
        /// The number of further repetitions of the current file.
        var fileLoop = LoopCount.times(0)
        /// The number of further repetitions of the playlist.
        var playlistLoop = LoopCount.times(0)
        var abLoop = ABLoop()
        /// The commands of all keys, without those that clients have bound.
        var keyMap = KeyMap()
        /// The plain-text commands that clients have bound to keys, by mpv's name of the key.
        var keyBindings: [String: String] = [:]
        /// The values that clients have stored under `user-data`.
        var userData = UserData()
        /// The positions that `revert-seek` returns to.
        var seekHistory = SeekHistory()
    }

    /// A weak reference to the program object.
    private struct AppReference: Sendable { weak var app: PlayerApp? }

    let player: Player
    /// The layer that shows the picture.
    let layer: PlayerLayer?
    /// The running program, as a weak reference.
    private let appReference = Monitor(AppReference())
    /// The text that clients draw over the picture.
    let textOverlays = TextOverlays()
    /// The snapshot of the program's state, which the main queue updates.
    let state: Monitor<State>

    init(player: Player, layer: PlayerLayer?, settings: PlaySettings) {
        self.player = player
        self.layer = layer
        state = Monitor(State(settings: settings))
    }

    /// The running program; nil before it is set and after it was released.
    var app: PlayerApp? {
        get { appReference.withLock { $0.app } }
        set { appReference.withLock { $0.app = newValue } }
    }

    /// Calls `body` on the main queue, unless the program is ending.
    func runOnMainQueue(_ body: @escaping @MainActor @Sendable (PlayerApp) -> Void) {
        DispatchQueue.main.async { [weak self] in
            MainActor.assumeIsolated {
                guard let app = self?.app, !app.isEnding else { return }
                body(app)
                app.reportPossibleChanges()
            }
        }
    }

    /// Changes the settings of the program, and the snapshot of them at once, so that the next request reads the new
    /// value.
    func changeSettings(_ change: @escaping @Sendable (inout PlaySettings) -> Void) {
        state.withLock { change(&$0.settings) }
        runOnMainQueue { change(&$0.settings) }
    }

    // MARK: Properties

    func getProperty(_ name: String) throws(IPCError) -> JSONValue {
        guard let (property, path) = PropertyTable.find(name) else { throw .propertyNotFound }
        return try property.value(at: path, PropertyContext(target: self))
    }

    func setProperty(_ name: String, _ value: JSONValue) throws(IPCError) {
        if let (property, path) = PropertyTable.find(name), property.name == "user-data" {
            return try setUserData(value, at: path)
        }
        guard let property = PropertyTable.properties[name] ?? PropertyTable.option(name) else {
            // A part of a property can be read only.
            _ = try getProperty(name)
            throw .propertyError
        }
        guard let write = property.write else { throw .propertyError }
        try write(PropertyContext(target: self), value)
    }

    func changesOfProperty(_ name: String) -> PropertyChanges {
        guard let (property, path) = PropertyTable.find(name) else { return .never }
        // `options/NAME` changes as the property itself.
        if ["options", "file-local-options"].contains(property.name), let option = path.first {
            return PropertyTable.properties[option]?.changes ?? .never
        }
        return property.changes
    }

    /// Stores a client's value under `user-data`.
    func setUserData(_ value: JSONValue, at path: ArraySlice<String>) throws(IPCError) {
        try state.withLock { state throws(IPCError) in try state.userData.set(value, at: path) }
    }

    /// Pauses or resumes playback immediately; at the end of the file, plays from the beginning.
    func setIsPaused(_ isPaused: Bool) {
        let isAtEndOfImage = player.isAtEndOfStillImage
        let isImageHeld = state.withLock { state in
            if state.isImagePaused != nil { state.isImagePaused = isPaused }
            return state.isImagePaused != nil || !state.isAtEnd && isAtEndOfImage
        }
        if isImageHeld { return runOnMainQueue { isPaused ? $0.pause() : $0.play() } }
        if isPaused { return player.pause() }
        if state.withLock({ $0.isAtEnd }) { return runOnMainQueue { $0.play() } }
        player.recordUserRequest()
        player.play()
    }
}
