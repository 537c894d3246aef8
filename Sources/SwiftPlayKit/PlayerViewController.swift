import Dispatch
import SwiftPlay
import SystemCalls
import VideoOutput

/// A window for a player, with controls, keys, full screen and Picture-in-Picture (AVPlayerViewController). Main queue
/// only.
///
/// The window opens with the first picture. A program needs only this and a player; ``onKey`` and ``onCommand`` let it
/// handle the user's requests.
@MainActor
public final class PlayerViewController {
    /// The layer that shows the picture.
    public let playerLayer: PlayerLayer
    /// The window.
    public let window: PlayerWindow
    /// The delegate. The controller does not keep it.
    public weak var delegate: (any PlayerViewControllerDelegate)?

    let presenter: ControlsPresenter
    package private(set) var pictureInPictureController: PictureInPictureController?
    private let pictureInPictureDelegate = PictureInPictureRelay()
    private var observation: Player.Observation?
    var fullScreen: FullScreenTransition?
    /// The state of full screen that the delegate received last.
    var isFullScreenTold: Bool
    /// A reference to itself while Picture-in-Picture runs.
    var keptAlive: PlayerViewController?
    /// Whether the window was hidden at the start of Picture-in-Picture.
    var isDismissed = false
    /// Whether the window was visible when Picture-in-Picture started.
    var wasOnScreen = true
    private var flashes = 0
    /// The text of a terminal's last row: the message, or the buffering state.
    private var message: String?
    private var isBufferingShown = false

    /// Called first for every key, with mpv's name (`p`, `SPACE`, `WHEEL_UP`, `MBTN_LEFT_DBL`). Return true if the
    /// program has handled it.
    public var onKey: ((String) -> Bool)?
    /// Called first for every request of the user. Return true if the program has handled it.
    public var onCommand: ((Command) -> Bool)?
    /// Called for other events of the window, and for keys without a function.
    public var onEvent: ((PlayerWindow.Event) -> Void)?
    /// Called on the main queue if the window cannot be opened.
    public var onFailure: ((PlaybackError) -> Void)? {
        get { window.onFailure }
        set { window.onFailure = newValue }
    }

    /// Creates a window for a player.
    ///
    /// - Parameters:
    ///   - player: The player whose picture is shown; it can be set later.
    ///   - options: How the window looks.
    public convenience init(player: Player? = nil, options: PlayerWindow.Options = PlayerWindow.Options()) {
        self.init(playerLayer: PlayerLayer(player: player), options: options)
    }

    /// Creates a window for an existing layer.
    ///
    /// - Parameters:
    ///   - playerLayer: The layer.
    ///   - options: How the window looks.
    public convenience init(playerLayer: PlayerLayer, options: PlayerWindow.Options = PlayerWindow.Options()) {
        let floating: PictureInPictureController? =
            switch options.kind {
            case .null: nil
            case .x11: PictureInPictureController(playerLayer: playerLayer)
            case .terminal: .terminal(playerLayer: playerLayer)
            }
        self.init(playerLayer: playerLayer, options: options, pictureInPicture: floating)
    }

    package init(playerLayer: PlayerLayer, options: PlayerWindow.Options, pictureInPicture: PictureInPictureController?)
    {
        self.playerLayer = playerLayer
        isFullScreenTold = options.isFullScreen
        window = PlayerWindow(layer: playerLayer, options: options)
        presenter = ControlsPresenter(window: window, layer: playerLayer)
        pictureInPictureController = pictureInPicture
        player = playerLayer.player
        pictureInPictureDelegate.owner = self
        pictureInPicture?.delegate = pictureInPictureDelegate
        pictureInPicture?.watch { [weak self] _ in self?.pictureInPictureChanged() }
        window.onOutput = { [weak self] event in
            if case .resized = event { self?.updateContentOverlay() }
            return self?.presenter.hear(event) ?? false
        }
        window.onOpen = { [weak self] in
            self?.updateContentOverlay()
            self?.presenter.begin()
        }
        window.onEvent = { [weak self] in self?.handle($0) }
        presenter.facts = { [weak self] in self?.facts ?? ControlsFacts() }
        presenter.onCommand = { [weak self] in self?.ask($0) }
        presenter.onKey = { [weak self] in self?.press($0) }
        presenter.onBusy = { [weak self] isShown in
            self?.isBufferingShown = isShown
            if self?.window.canvas == nil { self?.showLine() }
        }
        permitPictureInPicture()
        if let player { follow(player) }
    }

    /// The player whose picture is shown.
    public var player: Player? {
        didSet {
            guard player !== oldValue else { return }
            playerLayer.player = player
            observation = nil
            if let player { follow(player) }
            presenter.begin()
        }
    }

    // MARK: Settings

    /// Whether the window has controls; true by default. Keys work without them.
    public var showsPlaybackControls = true { didSet { allowControls() } }

    /// Whether the user cannot seek, by controls or keys; false by default.
    public var requiresLinearPlayback = false {
        didSet {
            pictureInPictureController?.requiresLinearPlayback = requiresLinearPlayback
            presenter.update()
        }
    }

    /// Whether Picture-in-Picture is permitted; true by default. False ends a running one.
    public var allowsPictureInPicturePlayback = true {
        didSet {
            if !allowsPictureInPicturePlayback { pictureInPictureController?.stopPictureInPicture() }
            permitPictureInPicture()
            presenter.update()
        }
    }

    /// Whether Picture-in-Picture may start automatically when the window goes out of sight while it is not in full
    /// screen; false by default. From full screen it may always.
    public var canStartPictureInPictureAutomaticallyFromInline = false { didSet { permitPictureInPicture() } }

    /// Whether the window enters full screen when the user starts playback; false by default.
    public var entersFullScreenWhenPlaybackBegins = false
    /// Whether the window leaves full screen at the end of the last item; false by default. Dragging the slider to the
    /// end does not count.
    public var exitsFullScreenWhenPlaybackEnds = false

    /// Whether the window's title follows the item's title; true by default.
    public var updatesWindowTitle = true

    // MARK: Picture

    /// Whether the window shows a frame of the current item. To observe it, use
    /// `playerLayer.values(of: \.isReadyForDisplay)`.
    public var isReadyForDisplay: Bool { playerLayer.isReadyForDisplay }

    /// How a picture of another shape fits into the window.
    public var videoGravity: PlayerLayer.Gravity {
        get { playerLayer.videoGravity }
        set { playerLayer.videoGravity = newValue }
    }

    /// The part of the window that the picture covers, in pixels; empty while there is no picture.
    public var videoBounds: VideoRect { playerLayer.videoRect }

    /// The pictures over the video and below the controls (AVPlayerViewController.contentOverlayView). Called when it
    /// is set, when the size of the window changes, and by ``updateContentOverlay()``. X11 windows only; the floating
    /// window does not show it.
    public var contentOverlay: ContentOverlay? { didSet { updateContentOverlay() } }

    /// Shows a line of text over the picture.
    ///
    /// - Parameter text: The text; nil removes it.
    public func showMessage(_ text: String?) {
        flashes += 1
        message = text
        if window.canvas == nil { showLine() } else { presenter.message = text }
    }

    private func showLine() { window.showMessage(message ?? (isBufferingShown ? "Buffering" : nil)) }

    /// Shows a line of text for a short time.
    func flash(_ text: String) {
        showMessage(text)
        let number = flashes
        DispatchQueue.main.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
            MainActor.assumeIsolated { if self?.flashes == number { self?.showMessage(nil) } }
        }
    }

    /// Closes the window. Playback continues.
    public func close() {
        presenter.message = nil
        window.close()
        presenter.begin()
    }

    /// Closes the window and ends Picture-in-Picture, without calling the delegate.
    package func end() {
        observation = nil
        pictureInPictureController = nil
        keptAlive = nil
        close()
    }

    // MARK: Events

    private func follow(_ player: Player) {
        window.openAutomatically(for: player)
        observation = player.observe { [weak self] in self?.handle($0) }
    }

    private func handle(_ event: PlayerWindow.Event) {
        if case .key(let name) = event { return press(name) }
        if case .fullScreenChanged(let on) = event { fullScreenChanged(on) }
        onEvent?(event)
    }

    private func handle(_ notification: Player.Notification) {
        switch notification {
        case .currentItemChanged: presenter.begin()
        case .itemReady(let item):
            if updatesWindowTitle, item === player?.currentItem, let title = facts.title.isEmpty ? nil : facts.title {
                window.title = title
            }
        case .didPlayToEnd:
            let isLast = ((player as? QueuePlayer)?.items().count ?? 1) <= 1
            if exitsFullScreenWhenPlaybackEnds, isLast, !presenter.isScrubbing { setFullScreen(false) }
        default: break
        }
        presenter.update()
    }

    func allowControls() {
        presenter.isAllowed = showsPlaybackControls && pictureInPictureController?.isPictureInPictureActive != true
    }

    private func pictureInPictureChanged() {
        allowControls()
        presenter.update()
    }

    /// The state of the controls.
    private var facts: ControlsFacts {
        var facts = ControlsFacts()
        facts.isFullScreen = window.isFullScreen
        guard let player, let item = player.currentItem else { return facts }
        facts.title = item.title ?? item.location.split(separator: "/").last.map(String.init) ?? item.location
        facts.isPaused = player.rate == 0
        facts.position = player.currentTime().seconds
        let duration = item.duration.seconds
        facts.duration = duration.isFinite && duration > 0 ? duration : nil
        facts.canSeek = item.isSeekable && !requiresLinearPlayback
        facts.hasSound = item.hasAudio
        facts.volume = feltVolume
        facts.isMuted = player.isMuted
        facts.audioTracks = Self.tracks(.audible, of: item)
        facts.subtitles = Self.tracks(.legible, of: item)
        facts.offersPictureInPicture = offersPictureInPicture
        return facts
    }

    private static func tracks(_ characteristic: MediaCharacteristic, of item: PlayerItem) -> ControlsFacts.Tracks {
        guard let group = item.mediaSelectionGroup(forMediaCharacteristic: characteristic) else {
            return ControlsFacts.Tracks()
        }
        let chosen = item.currentMediaSelection.selectedMediaOption(in: group)
        return ControlsFacts.Tracks(
            current: chosen.flatMap(group.options.firstIndex(of:)).map { $0 + 1 }, count: group.options.count)
    }
}
