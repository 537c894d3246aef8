import AudioOutput
import MediaPipeline
import SharedFrames
import SystemCalls
import VideoOutput

/// The engine of a player: opens items, keeps the clock and shows frames on time, on the player's own thread.
///
/// Other threads post commands and read a snapshot. Only ``close()`` waits for the player's thread.
package final class PlayerCore: Sendable {
    /// A request of the program, or a report of another component, that the player's thread handles in order.
    enum Command: Sendable {
        /// Make an item the current item; nil for no item.
        case setItem(PlayerItem?)
        /// Report to observers that the program passed an item that belongs to another player or is already in the
        /// queue.
        case reject(PlayerItem)
        /// Set the requested rate; 0 pauses.
        case setRate(Float)
        /// Seek in the current item.
        case seek(SeekCommand)
        /// Pause and show another frame: a number of frames forward, or backward if negative.
        case step(Int)
        /// Buffer media for playback at a rate.
        case preroll(PrerollCommand)
        /// The queue continues with this item.
        case advance(to: PlayerItem?)
        /// The action at an item's end has changed.
        case actionAtItemEndChanged
        /// State that the loop reads in each iteration, or the end time of an item, has changed.
        case polledStateChanged
        /// A setting that observers may watch has changed.
        case settingChanged
        /// The audio pipeline reports an event.
        case audioReport(AudioPipeline.Report)
        /// The layer was attached or detached, or the outputs of an item have changed.
        case outputChanged
        /// The track selection, or the style of subtitles, has changed.
        case tracksChanged
        /// The volume has changed, or the player was muted or unmuted.
        case volumeChanged
        /// The program has chosen another ALSA device.
        case switchDevice(String)
        /// The time-stretch algorithm of the current item has changed.
        case pitchChanged
        /// The chosen variant of the current item has changed.
        case variantChosen
        /// The setting for deinterlacing has changed.
        case deinterlacingChanged
        /// The rotation or the aspect ratio that the user sets has changed.
        case pictureTransformChanged
        /// The audio session reports an event to the player.
        case session(PlayerAudioSession.Event)
        /// The program releases the audio session until the next playback.
        case releaseAudioSession
        /// The user is about to request playback, so that it may start in the background.
        case userRequestsPlayback
        /// End the player's thread.
        case close
    }

    /// An event for observers; observers are called on the core's thread.
    package enum Event: Sendable {
        /// The item can be played.
        case itemReady(PlayerItem)
        /// The item cannot be played.
        case itemFailed(PlayerItem, PlaybackError)
        /// The item was refused, because it belongs to another player or is in the queue already.
        case itemRejected(PlayerItem, PlaybackError)
        /// The current item changed.
        case itemChanged(PlayerItem?)
        /// The player plays, waits or is paused now.
        case statusChanged
        /// The requested rate changed.
        case rateChanged(Float)
        /// A setting has changed that observation tracking reports.
        case settingChanged
        /// The time jumped because of a seek or a step.
        case timeJumped
        /// A seek has finished, and its frame is on screen.
        case seekCompleted
        /// The first frame of an item is on screen.
        case firstFrame(PlayerItem)
        /// The item was played to its end.
        case playedToEnd(PlayerItem)
        /// Reading stopped before the item's end.
        case failedToPlayToEnd(PlayerItem, PlaybackError)
        /// Playback stopped because no media was left.
        case stalled(PlayerItem)
        /// The item's access log has a new event.
        case accessLogged(PlayerItem)
        /// The item's error log has a new event.
        case errorLogged(PlayerItem)
        /// A frame is on screen.
        case framePresented(VideoFrame)
        /// The selected tracks of the item have changed.
        case mediaSelectionChanged(PlayerItem)
        /// The size at which the item's picture is shown has changed.
        case presentationSizeChanged(PlayerItem)
        /// A problem that does not stop playback, as a message.
        case warning(String)
        /// The player is closed, and no event follows. Called on the thread that closed the player.
        case closed
    }

    let configuration: PlayerConfiguration
    /// The state that the player's thread shares with callers.
    let snapshot = Monitor(PlayerSnapshot())
    /// The pool from which decoded frames get their memory.
    let pool: FramePool
    /// Wakes the player's thread.
    let wakeEvent: EventDescriptor
    /// The commands for the player's thread.
    private let commands = Monitor(Commands())
    private let observers = Monitor(Observers())
    /// The layer that shows the video, held weakly.
    private let layer = Monitor<WeakLayer?>(nil)
    /// The player's thread; nil before the start and after the end.
    let thread = Monitor<NamedThread?>(nil)
    /// The number of the newest observer or time observer.
    private let observerNumberCounter = Monitor<UInt64>(0)
    /// The time observers by their numbers.
    let timeObservers = Monitor<[UInt64: TimeObserver]>([:])
    /// The completion handler of the newest seek, also after it was called; nil before the first seek and after a
    /// cancellation.
    let newestSeek = Monitor<SeekCompletion?>(nil)
    /// The completion handler of the newest preroll, also after it was called; nil before the first preroll and after
    /// a cancellation.
    let newestPreroll = Monitor<SeekCompletion?>(nil)

    /// The commands that the player's thread has not taken.
    private struct Commands {
        /// The commands, oldest first.
        var pendingCommands: [Command] = []
        /// Whether ``close()`` was called: no command is accepted any more.
        var isClosed = false
    }

    /// The observers, in the order of their registration.
    private struct Observers {
        /// The registration numbers and callbacks of the observers, oldest first.
        var callbacks: [(number: UInt64, callback: @Sendable (Event) -> Void)] = []
        /// Whether the player was closed: a new observer receives ``Event/closed`` at once.
        var isClosed = false
    }

    /// A weak reference to the layer.
    private struct WeakLayer: Sendable { weak var layer: (any PlayerPictureTarget)? }

    init(configuration: PlayerConfiguration) throws(SystemCallError) {
        self.configuration = configuration
        pool = FramePool { pool in Application.shared.memoryQueue.async { pool.releaseMemory() } }
        if case .alsa(let device) = configuration.audioOutput { snapshot.withLock { $0.published.device = device } }
        wakeEvent = try EventDescriptor()
    }

    /// Adds a command for the player's thread. After the end of the thread, seeks and prerolls complete with `false`.
    func post(_ command: Command) {
        let isAccepted = commands.withLock { commands in
            if !commands.isClosed { commands.pendingCommands.append(command) }
            return !commands.isClosed
        }
        if isAccepted { return wakeEvent.signal() }
        // The thread has ended, so the command is not executed. Its completion handler must still be called.
        if case .seek(let seek) = command { seek.completion(false) }
        if case .preroll(let preroll) = command { preroll.completion.complete(false) }
    }

    /// Returns and removes the pending commands.
    func takeCommands() -> [Command] {
        commands.withLock { commands in
            defer { commands.pendingCommands = [] }
            return commands.pendingCommands
        }
    }

    /// Ends the player's thread and waits for it. Observers receive ``Event/closed``.
    func close() {
        snapshot.withLock { $0.isClosed = true }
        // Append `close` and refuse later commands in one step: a command after `close` would never be completed.
        commands.withLock { commands in
            if !commands.isClosed { commands.pendingCommands.append(.close) }
            commands.isClosed = true
        }
        wakeEvent.signal()
        thread.withLock { $0.take() }?.join()
        timeObservers.withLock { $0 = [:] }
        let remainingObservers = observers.withLock { observers in
            defer { observers = Observers(isClosed: true) }
            return observers.callbacks
        }
        for observer in remainingObservers { observer.callback(.closed) }
        currentLayer?.didLoseFrame()
        ProgramVisibility.shared.setPauseHandler(self, nil)
    }

    /// Whether ``close()`` has been called.
    package var isClosed: Bool { commands.withLock { $0.isClosed } }

    // MARK: Layer

    /// Makes a layer the destination of the player's frames.
    func attach(_ attachedLayer: any PlayerPictureTarget) {
        layer.withLock { $0 = WeakLayer(layer: attachedLayer) }
        attachedLayer.router.setListener { [wakeEvent] in wakeEvent.signal() }
        post(.outputChanged)
    }

    /// Stops sending frames to a layer.
    func detach(_ detachedLayer: any PlayerPictureTarget) {
        layer.withLock { if $0?.layer === detachedLayer { $0 = nil } }
        detachedLayer.router.setListener(nil)
        post(.outputChanged)
    }

    /// The attached layer; nil without a layer.
    package var currentLayer: (any PlayerPictureTarget)? { layer.withLock { $0?.layer } }

    // MARK: Observers

    /// Calls `observer` on the core's thread until ``removeObserver(_:)``, after the observers that were added before
    /// it. If the player is closed, calls it once with ``Event/closed`` before returning.
    ///
    /// - Returns: The observer's number.
    package func addObserver(_ observer: @escaping @Sendable (Event) -> Void) -> UInt64 {
        let number = nextObserverNumber()
        let isClosed = observers.withLock { observers in
            if !observers.isClosed { observers.callbacks.append((number, observer)) }
            return observers.isClosed
        }
        if isClosed { observer(.closed) }
        return number
    }

    /// Returns a new number for an observer or time observer.
    func nextObserverNumber() -> UInt64 {
        observerNumberCounter.withLock { nextNumber in
            defer { nextNumber += 1 }
            return nextNumber
        }
    }

    /// Removes the observer with this number. A notification in progress may still call it once.
    package func removeObserver(_ number: UInt64) {
        observers.withLock { $0.callbacks.removeAll { $0.number == number } }
    }

    /// Calls all observers in the order of their registration, on the current thread.
    func notify(_ event: Event) {
        for observer in observers.withLock({ $0.callbacks }) { observer.callback(event) }
    }
}
