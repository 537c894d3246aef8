import Dispatch
import SwiftPlay
import SystemCalls
import VideoOutput

/// A ready window for a player, with the usual controls and keys, full screen and Picture-in-Picture
/// (AVPlayerViewController). Main queue only.
///
/// The window opens with the first picture. A program needs nothing but this and a player; ``onKey`` and ``onCommand``
/// let it have a say in what is done.
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
    /// What the delegate was told last.
    var isFullScreenTold: Bool
    /// Held while Picture-in-Picture runs, whatever becomes of other references.
    var keptAlive: PlayerViewController?
    /// The window was put away at the start of Picture-in-Picture.
    var isDismissed = false
    /// It could be seen when Picture-in-Picture started.
    var wasOnScreen = true
    private var flashes = 0
    /// What a terminal shows in its last row: the message, or else that media is waited for.
    private var message: String?
    private var isBufferingShown = false

    /// Asked first about every key, by mpv's name (`p`, `SPACE`, `WHEEL_UP`, `MBTN_LEFT_DBL`); true: the program has
    /// dealt with it.
    public var onKey: ((String) -> Bool)?
    /// Asked first about what the user does at the controls or by their keys; true: the program has dealt with it.
    public var onCommand: ((Command) -> Bool)?
    /// What else happens to the window; keys that nothing is done about, too.
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

    /// For a layer that is there already.
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

    /// Whose picture is shown.
    public var player: Player? {
        didSet {
            guard player !== oldValue else { return }
            playerLayer.player = player
            observation = nil
            if let player { follow(player) }
            presenter.begin()
        }
    }

    // MARK: settings

    /// Whether there are controls at all; not for hiding them for a while. Keys work without them.
    public var showsPlaybackControls = true { didSet { allowControls() } }

    /// False: the user must not leave the film's own pace. There is no seeking at the controls or by their keys.
    public var requiresLinearPlayback = false {
        didSet {
            pictureInPictureController?.requiresLinearPlayback = requiresLinearPlayback
            presenter.update()
        }
    }

    /// False: there is no button for Picture-in-Picture, and one that runs ends.
    public var allowsPictureInPicturePlayback = true {
        didSet {
            if !allowsPictureInPicturePlayback { pictureInPictureController?.stopPictureInPicture() }
            permitPictureInPicture()
            presenter.update()
        }
    }

    /// Whether Picture-in-Picture may start by itself when the window goes out of sight without filling the screen.
    /// From full screen it may.
    public var canStartPictureInPictureAutomaticallyFromInline = false { didSet { permitPictureInPicture() } }

    /// Fills the screen when the user starts playing.
    public var entersFullScreenWhenPlaybackBegins = false
    /// Leaves full screen at the end of the last item, but not while the user merely drags the scrubber there.
    public var exitsFullScreenWhenPlaybackEnds = false

    /// The window's title is the item's.
    public var updatesWindowTitle = true

    // MARK: the picture

    /// True from the first frame of the current item on. To observe it: `playerLayer.values(of: \.isReadyForDisplay)`.
    public var isReadyForDisplay: Bool { playerLayer.isReadyForDisplay }

    /// What becomes of a picture of another shape than the window.
    public var videoGravity: PlayerLayer.Gravity {
        get { playerLayer.videoGravity }
        set { playerLayer.videoGravity = newValue }
    }

    /// The part of the window that the picture covers, in pixels; empty while there is none.
    public var videoBounds: VideoRect { playerLayer.videoRect }

    /// Draws over the picture and below the controls (AVPlayerViewController.contentOverlayView): called with the
    /// window's size when that changes, when this is set, and by ``updateContentOverlay()``. Of use in a window under
    /// X11; the floating window does not show it.
    public var contentOverlay: ContentOverlay? { didSet { updateContentOverlay() } }

    /// A line for the user over the picture; nil takes it away.
    public func showMessage(_ text: String?) {
        flashes += 1
        message = text
        if window.canvas == nil { showLine() } else { presenter.message = text }
    }

    private func showLine() { window.showMessage(message ?? (isBufferingShown ? "Buffering" : nil)) }

    /// A line that goes by itself.
    func flash(_ text: String) {
        showMessage(text)
        let number = flashes
        DispatchQueue.main.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
            MainActor.assumeIsolated { if self?.flashes == number { self?.showMessage(nil) } }
        }
    }

    /// Closes the window. The player plays on.
    public func close() {
        presenter.message = nil
        window.close()
        presenter.begin()
    }

    /// Ends everything, Picture-in-Picture too, and tells nobody.
    package func end() {
        observation = nil
        pictureInPictureController = nil
        keptAlive = nil
        close()
    }

    // MARK: what happens

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

    /// What the controls show.
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
