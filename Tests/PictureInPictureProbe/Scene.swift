import Dispatch
import SwiftPlayKit
import SystemCalls

/// Something in a window that may float.
@MainActor
class Scene {
    let name: String
    let probe: Probe
    var window: PlayerWindow?
    var controller: PictureInPictureController?
    /// Outlives the controller, so that a call after its end would be heard.
    let listener: Listener
    private let asyncListener: AsyncListener
    var streams: [Task<Void, Never>] = []

    init(_ name: String, probe: Probe) {
        self.name = name
        self.probe = probe
        listener = Listener(name, probe)
        asyncListener = AsyncListener(name)
    }

    var source: PictureInPictureController.ContentSource? { nil }
    var router: FrameRouter? { nil }

    func say(_ text: String) { report("\(name) \(text)") }

    /// Makes the controller.
    func introduce() {
        guard let source else { return }
        let made = PictureInPictureController(contentSource: source)
        made.delegate = listener
        listener.layer = router
        controller = made
        // What is possible and active, as it changes.
        for (word, property) in [
            ("possible", \PictureInPictureController.isPictureInPicturePossible),
            ("active", \.isPictureInPictureActive),
            ("suspended", \.isPictureInPictureSuspended), ("stoppable", \.canStopPictureInPicture),
        ] {
            let values = made.values(of: property), name = name
            streams.append(
                Task {
                    for await value in values { report("\(name) is \(word) \(value)") }
                    report("\(name) is \(word) over")
                })
        }
    }

    /// - Returns: false when it is not understood.
    func perform(_ verb: String, _ argument: String, _ more: [String], _ scenes: [String: Scene]) -> Bool {
        switch verb {
        case "start":
            controller?.startPictureInPicture()
            say("returned start")
        case "startWhenPossible": controller?.startPictureInPictureWhenPossible()
        case "stop":
            controller?.stopPictureInPicture()
            say("returned stop")
        case "close": controller?.closePictureInPicture()
        case "release":
            controller = nil
            say("released")
        case "linear": controller?.requiresLinearPlayback = argument == "on"
        // How restore is answered: Listener.Manner.
        case "answer": return listener.setManner(argument)
        case "complete":
            listener.complete(argument == "true")
            say("completed")
        // on NAME CALL COMMAND...: done in the middle of that call, once.
        case "on": listener.reactions[argument] = more.joined(separator: " ")
        // source NAME OTHER: the picture of another scene, or none.
        case "source": controller?.contentSource = scenes[argument]?.source
        case "unlisten": controller?.delegate = nil
        case "listen": controller?.delegate = asyncListener
        case "category":
            let session = AudioSession.sharedInstance()
            do { try session.setCategory(argument == "ambient" ? .ambient : .playback) } catch { return false }
        case "hide": window?.close()
        case "show": do { try window?.open(pictureWidth: 320, pictureHeight: 180) } catch { return false }
        case "state":
            let reason = controller?.stopReason?.rawValue ?? "none"
            say(
                "state active=\(controller?.isPictureInPictureActive == true) possible=\(controller?.isPictureInPicturePossible == true) "
                    + "reason=\(reason) place=\(place) \(facts)")
        default: return false
        }
        return true
    }

    /// Where its frames go.
    var place: String { router.map { "\($0.destination)" } ?? "nowhere" }
    var facts: String { "" }

    func close() {
        controller = nil
        window?.close()
    }
}

/// A delegate that has nothing but the async form of the restore call.
@MainActor
final class AsyncListener: PictureInPictureControllerDelegate {
    private let name: String

    init(_ name: String) { self.name = name }

    func pictureInPictureControllerRestoreUserInterfaceForPictureInPictureStop(
        _ controller: PictureInPictureController
    ) async -> Bool {
        report("\(name) asyncRestore")
        return true
    }
}

/// Writes down what a controller's delegate is told.
@MainActor
final class Listener: PictureInPictureControllerDelegate {
    enum Manner: String { case yes, no, twice, thread, held, never }

    private let name: String
    private let probe: Probe
    private var manner = Manner.yes
    private var held: (@Sendable (Bool) -> Void)?
    /// Commands that are done in the middle of a call.
    var reactions: [String: String] = [:]
    var layer: FrameRouter?

    init(_ name: String, _ probe: Probe) { (self.name, self.probe) = (name, probe) }

    func setManner(_ word: String) -> Bool {
        guard let manner = Manner(rawValue: word) else { return false }
        self.manner = manner
        return true
    }

    func complete(_ restored: Bool) { held?(restored) }

    func react(to call: String) {
        if let reaction = reactions.removeValue(forKey: call) { probe.perform(reaction) }
    }

    private func heard(_ call: String, _ controller: PictureInPictureController, _ more: String = "") {
        let place = layer.map { "\($0.destination)" } ?? "nowhere"
        report("\(name) \(call) active=\(controller.isPictureInPictureActive) place=\(place)\(more)")
        react(to: call)
    }

    func pictureInPictureControllerWillStartPictureInPicture(_ controller: PictureInPictureController) {
        heard("willStart", controller)
    }
    func pictureInPictureControllerDidStartPictureInPicture(_ controller: PictureInPictureController) {
        heard("didStart", controller)
    }
    func pictureInPictureController(
        _ controller: PictureInPictureController, failedToStartPictureInPictureWithError error: any Error
    ) {
        heard("failed", controller, " code=\((error as? PlaybackError)?.code.rawValue ?? 0)")
        report("\(name) because \(error)")
    }
    func pictureInPictureControllerWillStopPictureInPicture(_ controller: PictureInPictureController) {
        heard("willStop", controller)
    }
    func pictureInPictureControllerDidStopPictureInPicture(_ controller: PictureInPictureController) {
        heard("didStop", controller, " reason=\(controller.stopReason?.rawValue ?? "none")")
    }

    func pictureInPictureController(
        _ controller: PictureInPictureController,
        restoreUserInterfaceForPictureInPictureStopWithCompletionHandler completionHandler:
            @escaping @Sendable (Bool) -> Void
    ) {
        heard("restore", controller)
        switch manner {
        case .yes: completionHandler(true)
        case .no: completionHandler(false)
        case .twice:
            completionHandler(true)
            completionHandler(false)
        case .thread:
            // From several threads at once.
            for _ in 0..<2 { Thread.run { completionHandler(true) } }
        case .held: held = completionHandler
        case .never: break
        }
    }

    private enum Thread {
        static func run(_ body: @escaping @Sendable () -> Void) { DispatchQueue.global().async(execute: body) }
    }
}
