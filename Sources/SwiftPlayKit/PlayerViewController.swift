import Dispatch
import SwiftPlay
import SystemCalls
import VideoOutput

/// A window for a player, with controls, keys, full screen and Picture-in-Picture (AVPlayerViewController). Main queue
/// only.
///
/// The window opens with the first video frame. A program needs only this object and a player; ``onKey`` and
/// ``onCommand`` let the program handle the user's requests.
@MainActor
public final class PlayerViewController {
    /// The layer that shows the player's picture in the window.
    public let playerLayer: PlayerLayer
    /// The window of the player.
    public let window: PlayerWindow
    /// The delegate of this object (a weak reference).
    public weak var delegate: (any PlayerViewControllerDelegate)?

    /// Draws the controls and handles the pointer.
    let presenter: ControlsPresenter
    /// Moves the picture into the floating window; nil if Picture-in-Picture is not supported.
    package private(set) var pictureInPictureController: PictureInPictureController?
    /// Receives the delegate calls of ``pictureInPictureController`` and forwards them to this object.
    private let pictureInPictureDelegate = PictureInPictureRelay()
    private var observation: Player.Observation?
    /// The transition into or out of full screen that is under way; nil if no transition is under way.
    var fullScreenTransition: FullScreenTransition?
    /// Whether the window is in full screen, as last reported to the delegate.
    var wasReportedAsFullScreen: Bool
    /// A reference of this object to itself while Picture-in-Picture runs, so that a hidden window is not released.
    var selfReference: PlayerViewController?
    /// Whether the window was hidden because Picture-in-Picture started.
    var isWindowDismissed = false
    /// Whether the player's window was visible when Picture-in-Picture started.
    var wasWindowOnScreen = true
    /// The number of messages shown so far. The timer that removes a brief message uses the number to
    /// recognize a newer message.
    private var messageCount = 0
    /// The text that ``showMessage(_:)`` received last; nil for none. A terminal shows the text in its last row. While
    /// there is no text and the player is buffering, the last row shows the note "Buffering".
    private var message: String?
    /// Whether the window shows that the player is buffering: the player has been buffering for a noticeable time.
    private var isBufferingShown = false

    /// Called for every pressed key before the window handles it, with mpv's name of the key (`p`, `SPACE`, `WHEEL_UP`,
    /// `MBTN_LEFT_DBL`). Return true if the program has handled the key.
    public var onKey: ((String) -> Bool)?
    /// Called for every command of the user before it is performed. Return true if the program has handled the command.
    public var onCommand: ((Command) -> Bool)?
    /// Called for all other events of the window, and for keys that have no command.
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
    ///   - options: The appearance of the window.
    public convenience init(player: Player? = nil, options: PlayerWindow.Options = PlayerWindow.Options()) {
        self.init(playerLayer: PlayerLayer(player: player), options: options)
    }

    /// Creates a window for an existing layer.
    ///
    /// - Parameters:
    ///   - playerLayer: The layer.
    ///   - options: The appearance of the window.
    public convenience init(playerLayer: PlayerLayer, options: PlayerWindow.Options = PlayerWindow.Options()) {
        let controller: PictureInPictureController? =
            switch options.kind {
            case .null: nil
            case .x11: PictureInPictureController(playerLayer: playerLayer)
            case .terminal: .terminal(playerLayer: playerLayer)
            }
        self.init(playerLayer: playerLayer, options: options, pictureInPicture: controller)
    }

    package init(playerLayer: PlayerLayer, options: PlayerWindow.Options, pictureInPicture: PictureInPictureController?)
    {
        self.playerLayer = playerLayer
        wasReportedAsFullScreen = options.isFullScreen
        window = PlayerWindow(layer: playerLayer, options: options)
        presenter = ControlsPresenter(window: window, layer: playerLayer)
        pictureInPictureController = pictureInPicture
        player = playerLayer.player
        pictureInPictureDelegate.viewController = self
        pictureInPicture?.delegate = pictureInPictureDelegate
        pictureInPicture?.watch { [weak self] _ in self?.handlePictureInPictureChange() }
        window.onOutputEvent = { [weak self] event in
            if case .resized = event { self?.updateContentOverlay() }
            return self?.presenter.handle(event) ?? false
        }
        window.onOpen = { [weak self] in
            self?.updateContentOverlay()
            self?.presenter.handleItemOrWindowChange()
        }
        window.onEvent = { [weak self] in self?.handle($0) }
        presenter.currentState = { [weak self] in self?.controlsState ?? ControlsState() }
        presenter.onCommand = { [weak self] in self?.request($0) }
        presenter.onKey = { [weak self] in self?.handleKey($0) }
        presenter.onBufferingShown = { [weak self] isShown in
            self?.isBufferingShown = isShown
            if self?.window.windowOutput == nil { self?.updateMessage() }
        }
        updatePictureInPicturePermission()
        if let player { observePlayer(player) }
    }

    /// The player whose picture is shown.
    public var player: Player? {
        didSet {
            guard player !== oldValue else { return }
            playerLayer.player = player
            observation = nil
            if let player { observePlayer(player) }
            presenter.handleItemOrWindowChange()
        }
    }

    // MARK: Settings

    /// Whether the window has on-screen controls; true by default. Keys work without them.
    public var showsPlaybackControls = true { didSet { updateControlsPermission() } }

    /// Whether the button for the previous item has a function; false by default. If there is a previous or a next
    /// item, the controls show both buttons, which send ``Command/previousItem`` and ``Command/nextItem``.
    public var offersPreviousItem = false { didSet { if offersPreviousItem != oldValue { presenter.update() } } }

    /// Whether the button for the next item has a function; false by default.
    public var offersNextItem = false { didSet { if offersNextItem != oldValue { presenter.update() } } }

    /// Whether the user can seek neither with the controls nor with the keys; false by default.
    public var requiresLinearPlayback = false {
        didSet {
            pictureInPictureController?.requiresLinearPlayback = requiresLinearPlayback
            presenter.update()
        }
    }

    /// Whether Picture-in-Picture is permitted; true by default. Setting it to false ends an active Picture-in-Picture.
    public var allowsPictureInPicturePlayback = true {
        didSet {
            if !allowsPictureInPicturePlayback { pictureInPictureController?.stopPictureInPicture() }
            updatePictureInPicturePermission()
            presenter.update()
        }
    }

    /// Whether Picture-in-Picture may start automatically when the window is no longer visible while it is not in full
    /// screen; false by default. From full screen, automatic starts are always permitted.
    public var canStartPictureInPictureAutomaticallyFromInline = false { didSet { updatePictureInPicturePermission() } }

    /// Whether the window enters full screen when the user starts playback; false by default.
    public var entersFullScreenWhenPlaybackBegins = false
    /// Whether the window leaves full screen at the end of the last item; false by default. The window stays in full
    /// screen if the user drags the position slider to the end.
    public var exitsFullScreenWhenPlaybackEnds = false

    /// Whether the window's title follows the item's title; true by default.
    public var updatesWindowTitle = true

    // MARK: Picture

    /// Whether the window shows a frame of the current item. To observe it, use
    /// `playerLayer.values(of: \.isReadyForDisplay)`.
    public var isReadyForDisplay: Bool { playerLayer.isReadyForDisplay }

    /// The scaling of a picture whose aspect ratio differs from the aspect ratio of the window.
    public var videoGravity: PlayerLayer.Gravity {
        get { playerLayer.videoGravity }
        set { playerLayer.videoGravity = newValue }
    }

    /// The rectangle of the window that the picture covers, in pixels; empty while there is no picture.
    public var videoBounds: VideoRect { playerLayer.videoRect }

    /// The closure that returns pictures to draw over the video and below the controls
    /// (AVPlayerViewController.contentOverlayView). It is called when it is set, when the window opens or its size
    /// changes, and by ``updateContentOverlay()``. X11 windows only; the floating window does not show the pictures.
    public var contentOverlay: ContentOverlay? { didSet { updateContentOverlay() } }

    /// Lines of text over the picture, such as statistics; nil for none. X11 windows only.
    package var textPage: [String]? { didSet { if textPage != oldValue { updateContentOverlay() } } }

    /// Shows a line of text over the picture.
    ///
    /// - Parameter text: The text; nil removes it.
    public func showMessage(_ text: String?) {
        messageCount += 1
        message = text
        if window.windowOutput == nil { updateMessage() } else { presenter.message = text }
    }

    /// Shows the message, or the note "Buffering", in the last row of the terminal.
    private func updateMessage() { window.showMessage(message ?? (isBufferingShown ? "Buffering" : nil)) }

    /// Shows a line of text for a short time.
    func showBriefly(_ text: String) {
        showMessage(text)
        let messageNumber = messageCount
        DispatchQueue.main.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
            MainActor.assumeIsolated { if self?.messageCount == messageNumber { self?.showMessage(nil) } }
        }
    }

    /// Closes the window. Later items do not open it again. Playback continues.
    public func close() {
        presenter.message = nil
        window.close()
        presenter.handleItemOrWindowChange()
    }

    /// Closes the window and ends Picture-in-Picture, without calling the delegate.
    package func end() {
        observation = nil
        pictureInPictureController = nil
        selfReference = nil
        close()
    }

    // MARK: Events

    /// Observes a player, and opens the window when the player knows the size of its video.
    private func observePlayer(_ player: Player) {
        window.openAutomatically(for: player)
        observation = player.observe { [weak self] in self?.handle($0) }
    }

    /// Handles an event of the window.
    private func handle(_ event: PlayerWindow.Event) {
        if case .key(let name) = event { return handleKey(name) }
        if case .fullScreenChanged(let isFullScreen) = event { handleFullScreenChange(isFullScreen) }
        onEvent?(event)
    }

    /// Handles an event of the player.
    private func handle(_ notification: Player.Notification) {
        switch notification {
        case .currentItemChanged: presenter.handleItemOrWindowChange()
        case .itemReady(let item):
            if updatesWindowTitle, item === player?.currentItem,
                let title = controlsState.title.isEmpty ? nil : controlsState.title
            {
                window.title = title
            }
        case .didPlayToEnd:
            let isLastItem = ((player as? QueuePlayer)?.items().count ?? 1) <= 1
            if exitsFullScreenWhenPlaybackEnds, isLastItem, !presenter.isScrubbing { setFullScreen(false) }
        default: break
        }
        presenter.update()
    }

    /// Permits the on-screen controls, unless the program or an active Picture-in-Picture hides them.
    func updateControlsPermission() {
        presenter.areControlsAllowed = showsPlaybackControls && !isPictureInPictureActive
    }

    /// Updates the on-screen controls when Picture-in-Picture starts or stops. Active Picture-in-Picture hides them.
    private func handlePictureInPictureChange() {
        updateControlsPermission()
        presenter.update()
    }
}
