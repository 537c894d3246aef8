/// The visibility of the controls and of the pointer: a pure state machine. Times are host times in nanoseconds.
struct ControlsVisibility: Sendable {
    enum Input: Equatable, Sendable {
        /// The pointer moved, or a key requests the controls. While the pointer is over the controls, they stay.
        case pointed(isOverControls: Bool)
        case left
        /// A control is held, for example the slider.
        case held(Bool)
        /// Whether the controls may be shown.
        case allowed(Bool)
        case tick
    }

    enum Action: Equatable, Sendable {
        /// The opacity of the controls; 0 if they are hidden.
        case setOpacity(Double)
        /// Whether the pointer has been idle: in full screen it is hidden then.
        case setIdle(Bool)
    }

    /// How long the controls stay after the last movement, and after the pointer has left.
    static let patience: Int64 = 2_500_000_000
    static let leavePatience: Int64 = 500_000_000
    private static let stepTime: Int64 = 60_000_000
    private static let steps = 3

    private var step = 0
    private var isAwake = false
    private var isAllowed = true
    private var isOver = false
    private var isHeld = false
    private var sleepsAt: Int64?
    private var stepsAt: Int64?

    var opacity: Double { Double(step) / Double(Self.steps) }
    var isIdle: Bool { !isAwake }
    /// The host time at which ``Input/tick`` is needed; nil if no time is pending.
    var wakesAt: Int64? { [sleepsAt, stepsAt].compactMap(\.self).min() }

    mutating func handle(_ input: Input, at now: Int64) -> [Action] {
        let before = (step: step, isAwake: isAwake)
        switch input {
        case .pointed(let isOverControls):
            isOver = isOverControls
            stay(now, Self.patience)
        case .left:
            isOver = false
            if isAwake, !isHeld { sleepsAt = min(sleepsAt ?? .max, now + Self.leavePatience) }
        case .held(let held):
            guard isHeld != held else { break }
            isHeld = held
            stay(now, Self.patience)
        case .allowed(let allowed):
            guard isAllowed != allowed else { break }
            isAllowed = allowed
            // Controls that are forbidden disappear at once. Controls that are permitted again appear on request.
            (step, stepsAt, isHeld) = (0, nil, false)
            if allowed {
                (isAwake, sleepsAt) = (false, nil)
            } else if isAwake {
                sleepsAt = sleepsAt ?? now + Self.patience
            }
        case .tick: break
        }
        advance(now)
        return (step == before.step ? [] : [.setOpacity(opacity)])
            + (isAwake == before.isAwake ? [] : [.setIdle(!isAwake)])
    }

    private mutating func stay(_ now: Int64, _ time: Int64) {
        isAwake = true
        sleepsAt = isHeld || (isOver && isAllowed) ? nil : now + time
    }

    private mutating func advance(_ now: Int64) {
        if let time = sleepsAt, now >= time {
            isAwake = false
            sleepsAt = nil
        }
        let target = isAwake && isAllowed ? Self.steps : 0
        guard step != target else {
            stepsAt = nil
            return
        }
        if let time = stepsAt, now < time { return }
        // They appear in two steps and disappear in three.
        step = target == 0 ? step - 1 : max(step + 1, Self.steps - 1)
        stepsAt = step == target ? nil : now + Self.stepTime
    }
}
