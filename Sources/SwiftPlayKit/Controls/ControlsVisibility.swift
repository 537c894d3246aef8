/// A state machine that decides when the player's controls and the mouse pointer are visible. Times are host times in
/// nanoseconds.
struct ControlsVisibility: Sendable {
    /// An event that may show or hide the controls.
    enum Input: Equatable, Sendable {
        /// The pointer moved, or the user pressed a key that shows the controls. The controls do not disappear while
        /// the pointer is over them.
        case pointerMoved(isOverControls: Bool)
        /// The pointer left the window.
        case pointerLeft
        /// The user began (true) or stopped (false) to hold a control with the mouse button, for example a slider.
        case controlHeld(Bool)
        /// Whether the controls may be shown.
        case controlsAllowed(Bool)
        /// The time ``ControlsVisibility/nextTick`` was reached.
        case tick
    }

    /// A change of the visibility of the controls or of the pointer.
    enum Action: Equatable, Sendable {
        /// The opacity of the controls; 0 if they are hidden.
        case setOpacity(Double)
        /// The pointer became idle (true) or was used again (false). In full screen an idle pointer is hidden.
        case setIdle(Bool)
    }

    /// The time for which the controls stay visible after the last movement of the pointer, in nanoseconds.
    static let hideDelay: Int64 = 2_500_000_000
    /// The time for which the controls stay visible after the pointer has left the window, in nanoseconds.
    static let leaveDelay: Int64 = 500_000_000
    /// The time between two steps of the opacity while the controls fade, in nanoseconds.
    private static let stepInterval: Int64 = 60_000_000
    /// The number of opacity steps from hidden to opaque.
    private static let stepCount = 3

    /// The current opacity of the controls, in steps of `1 / stepCount`; 0 means hidden.
    private var opacityStep = 0
    /// Whether the pointer was used recently, so that the controls are shown.
    private var isPointerRecent = false
    /// Whether the controls may be shown.
    private var areControlsAllowed = true
    /// Whether the pointer is over the controls, which then stay visible.
    private var isPointerOverControls = false
    /// Whether the mouse button holds a control.
    private var isControlHeld = false
    /// The host time from which the pointer counts as idle, in nanoseconds; nil if the pointer is idle already or the
    /// controls stay visible.
    private var idleTime: Int64?
    /// The host time of the next opacity step, in nanoseconds; nil if the opacity does not change.
    private var nextStepTime: Int64?

    /// The opacity of the controls; 0 if they are hidden.
    var opacity: Double { Double(opacityStep) / Double(Self.stepCount) }
    /// Whether the pointer was not used recently, so that the controls are hidden or fade out.
    var isIdle: Bool { !isPointerRecent }
    /// The host time at which the caller must send ``Input/tick``, in nanoseconds; nil if no change is pending.
    var nextTick: Int64? { [idleTime, nextStepTime].compactMap(\.self).min() }

    /// Handles an event and returns the resulting changes of the visibility.
    mutating func handle(_ input: Input, at now: Int64) -> [Action] {
        let oldState = (opacityStep: opacityStep, isPointerRecent: isPointerRecent)
        switch input {
        case .pointerMoved(let isOverControls):
            isPointerOverControls = isOverControls
            keepVisible(now, Self.hideDelay)
        case .pointerLeft:
            isPointerOverControls = false
            if isPointerRecent, !isControlHeld { idleTime = min(idleTime ?? .max, now + Self.leaveDelay) }
        case .controlHeld(let isHeld):
            guard isControlHeld != isHeld else { break }
            isControlHeld = isHeld
            keepVisible(now, Self.hideDelay)
        case .controlsAllowed(let areAllowed):
            guard areControlsAllowed != areAllowed else { break }
            areControlsAllowed = areAllowed
            // Hide forbidden controls at once. Controls that are permitted again appear with the next movement of the
            // pointer, or when a key shows them.
            (opacityStep, nextStepTime, isControlHeld) = (0, nil, false)
            if areAllowed {
                (isPointerRecent, idleTime) = (false, nil)
            } else if isPointerRecent {
                idleTime = idleTime ?? now + Self.hideDelay
            }
        case .tick: break
        }
        advance(now)
        return (opacityStep == oldState.opacityStep ? [] : [.setOpacity(opacity)])
            + (isPointerRecent == oldState.isPointerRecent ? [] : [.setIdle(!isPointerRecent)])
    }

    /// Keeps the controls visible for `duration` nanoseconds, or as long as the pointer holds a control or is over the
    /// controls.
    private mutating func keepVisible(_ now: Int64, _ duration: Int64) {
        isPointerRecent = true
        idleTime = isControlHeld || (isPointerOverControls && areControlsAllowed) ? nil : now + duration
    }

    /// Makes the pointer idle after ``idleTime``, and changes the opacity by one step unless ``nextStepTime`` is later.
    private mutating func advance(_ now: Int64) {
        if let time = idleTime, now >= time {
            isPointerRecent = false
            idleTime = nil
        }
        let target = isPointerRecent && areControlsAllowed ? Self.stepCount : 0
        guard opacityStep != target else {
            nextStepTime = nil
            return
        }
        if let time = nextStepTime, now < time { return }
        // The controls appear in two steps and disappear in three.
        opacityStep = target == 0 ? opacityStep - 1 : max(opacityStep + 1, Self.stepCount - 1)
        nextStepTime = opacityStep == target ? nil : now + Self.stepInterval
    }
}
