import Dispatch
import SwiftPlayKit
import SystemCalls

/// A window with a Picture-in-Picture controller, both of which a test controls by commands. Subclasses define what the
/// window shows.
@MainActor
class Scene {
    /// The name of the scene in commands and output lines, and the title of its window.
    let name: String
    let probe: Probe
    var window: PlayerWindow?
    var controller: PictureInPictureController?
    /// The controller's delegate. It outlives the controller, so that the test detects delegate calls after the release
    /// of the controller.
    let delegate: ReportingDelegate
    /// The delegate that the command `async-delegate` sets.
    private let asyncDelegate: AsyncDelegate
    /// The tasks that write an output line for each change of the controller's observable properties.
    var propertyTasks: [Task<Void, Never>] = []

    init(_ name: String, probe: Probe) {
        self.name = name
        self.probe = probe
        delegate = ReportingDelegate(name, probe)
        asyncDelegate = AsyncDelegate(name)
    }

    /// The content source for Picture-in-Picture; nil if the scene has none.
    var contentSource: PictureInPictureController.ContentSource? { nil }
    /// The router that sends the frames to the scene's window, to the compositor, or to both.
    var router: FrameRouter? { nil }

    /// Writes an output line for the test, which begins with the name of this scene.
    func writeLine(_ text: String) { report("\(name) \(text)") }

    /// Creates the Picture-in-Picture controller, and writes a line for each change of its observable properties.
    func makeController() {
        guard let contentSource else { return }
        let newController = PictureInPictureController(contentSource: contentSource)
        newController.delegate = delegate
        delegate.router = router
        controller = newController
        for (propertyName, property) in [
            ("possible", \PictureInPictureController.isPictureInPicturePossible),
            ("active", \.isPictureInPictureActive),
            ("suspended", \.isPictureInPictureSuspended), ("stoppable", \.canStopPictureInPicture),
        ] {
            let values = newController.values(of: property), name = name
            propertyTasks.append(
                Task {
                    for await value in values { report("\(name) is \(propertyName) \(value)") }
                    report("\(name) is \(propertyName) over")
                })
        }
    }

    /// Performs one command of the test.
    ///
    /// - Returns: false if the command is unknown or fails.
    func perform(_ verb: String, _ argument: String, _ furtherArguments: [String], _ scenes: [String: Scene]) -> Bool {
        switch verb {
        case "start":
            controller?.startPictureInPicture()
            writeLine("returned start")
        case "startWhenPossible": controller?.startPictureInPictureWhenPossible()
        case "stop":
            controller?.stopPictureInPicture()
            writeLine("returned stop")
        case "close": controller?.closePictureInPicture()
        case "release":
            controller = nil
            writeLine("released")
        case "linear": controller?.requiresLinearPlayback = argument == "on"
        // answer NAME COMPLETION: sets how the delegate completes restore calls; COMPLETION is a RestoreCompletion.
        case "answer": return delegate.setRestoreCompletion(argument)
        case "complete":
            delegate.completeRestore(argument == "true")
            writeLine("completed")
        // on NAME CALL COMMAND...: performs COMMAND once, during the next delegate call with the name CALL.
        case "on": delegate.commandsByDelegateCall[argument] = furtherArguments.joined(separator: " ")
        // source NAME OTHER: sets the content source of the controller to that of the scene OTHER, or to nil if there
        // is no such scene.
        case "source": controller?.contentSource = scenes[argument]?.contentSource
        case "remove-delegate": controller?.delegate = nil
        case "async-delegate": controller?.delegate = asyncDelegate
        case "category":
            let session = AudioSession.sharedInstance()
            do { try session.setCategory(argument == "ambient" ? .ambient : .playback) } catch { return false }
        case "hide": window?.close()
        case "show": do { try window?.open(pictureWidth: 320, pictureHeight: 180) } catch { return false }
        case "state":
            let reason = controller?.stopReason?.rawValue ?? "none"
            writeLine(
                "state active=\(controller?.isPictureInPictureActive == true) "
                    + "possible=\(controller?.isPictureInPicturePossible == true) "
                    + "reason=\(reason) place=\(frameDestination) \(stateDetails)")
        default: return false
        }
        return true
    }

    /// The current destination of the frames: the layer, the compositor (`remote`) or both.
    var frameDestination: String { router.map { "\($0.destination)" } ?? "nowhere" }
    /// The text that a subclass adds to the reply to the command `state`, such as the rate of its player.
    var stateDetails: String { "" }

    /// Releases the controller and closes the window.
    func close() {
        controller = nil
        window?.close()
    }
}

/// A Picture-in-Picture delegate that implements only the `async` method for restoring the user interface.
@MainActor
final class AsyncDelegate: PictureInPictureControllerDelegate {
    private let name: String

    init(_ name: String) { self.name = name }

    func pictureInPictureControllerRestoreUserInterfaceForPictureInPictureStop(
        _ controller: PictureInPictureController
    ) async -> Bool {
        report("\(name) asyncRestore")
        return true
    }
}

/// A Picture-in-Picture delegate that writes a line for each delegate call.
@MainActor
final class ReportingDelegate: PictureInPictureControllerDelegate {
    /// The way in which the delegate calls the completion handler of a restore call: with `true` (`yes`), with `false`
    /// (`no`), with both (`twice`), from several threads at once (`thread`), on the command `complete` (`held`), or not
    /// at all (`never`).
    enum RestoreCompletion: String { case yes, no, twice, thread, held, never }

    private let name: String
    private let probe: Probe
    private var restoreCompletion = RestoreCompletion.yes
    /// The completion handler of the restore call, which the command `complete` calls.
    private var heldCompletionHandler: (@Sendable (Bool) -> Void)?
    /// The commands that the test has registered, by the name of the delegate call during which each is performed.
    var commandsByDelegateCall: [String: String] = [:]
    /// The frame router of the scene, whose destination is part of each output line.
    var router: FrameRouter?

    init(_ name: String, _ probe: Probe) { (self.name, self.probe) = (name, probe) }

    /// Sets how restore calls are completed. Returns false if `value` is not a raw value of ``RestoreCompletion``.
    func setRestoreCompletion(_ value: String) -> Bool {
        guard let restoreCompletion = RestoreCompletion(rawValue: value) else { return false }
        self.restoreCompletion = restoreCompletion
        return true
    }

    /// Calls the completion handler of the restore call with the argument `isRestored`.
    func completeRestore(_ isRestored: Bool) { heldCompletionHandler?(isRestored) }

    /// Performs the command that the test has registered for the delegate call `call`, and unregisters the command.
    func performRegisteredCommand(for call: String) {
        if let command = commandsByDelegateCall.removeValue(forKey: call) { probe.perform(command) }
    }

    /// Writes a line with a delegate call and the controller's state, and then performs the command that the test has
    /// registered for the delegate call.
    private func reportCall(_ call: String, _ controller: PictureInPictureController, _ details: String = "") {
        let destination = router.map { "\($0.destination)" } ?? "nowhere"
        report("\(name) \(call) active=\(controller.isPictureInPictureActive) place=\(destination)\(details)")
        performRegisteredCommand(for: call)
    }

    func pictureInPictureControllerWillStartPictureInPicture(_ controller: PictureInPictureController) {
        reportCall("willStart", controller)
    }
    func pictureInPictureControllerDidStartPictureInPicture(_ controller: PictureInPictureController) {
        reportCall("didStart", controller)
    }
    func pictureInPictureController(
        _ controller: PictureInPictureController, failedToStartPictureInPictureWithError error: any Error
    ) {
        reportCall("failed", controller, " code=\((error as? PlaybackError)?.code.rawValue ?? 0)")
        report("\(name) because \(error)")
    }
    func pictureInPictureControllerWillStopPictureInPicture(_ controller: PictureInPictureController) {
        reportCall("willStop", controller)
    }
    func pictureInPictureControllerDidStopPictureInPicture(_ controller: PictureInPictureController) {
        reportCall("didStop", controller, " reason=\(controller.stopReason?.rawValue ?? "none")")
    }

    func pictureInPictureController(
        _ controller: PictureInPictureController,
        restoreUserInterfaceForPictureInPictureStopWithCompletionHandler completionHandler:
            @escaping @Sendable (Bool) -> Void
    ) {
        reportCall("restore", controller)
        switch restoreCompletion {
        case .yes: completionHandler(true)
        case .no: completionHandler(false)
        case .twice:
            completionHandler(true)
            completionHandler(false)
        case .thread:
            // Call the completion handler from several threads at once.
            for _ in 0..<2 { BackgroundThread.run { completionHandler(true) } }
        case .held: heldCompletionHandler = completionHandler
        case .never: break
        }
    }

    private enum BackgroundThread {
        static func run(_ body: @escaping @Sendable () -> Void) { DispatchQueue.global().async(execute: body) }
    }
}
