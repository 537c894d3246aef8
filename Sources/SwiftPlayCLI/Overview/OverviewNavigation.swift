import SharedFrames
import VideoOutput

/// The selected tile and the scrolling of the overview's window. A pure value: input in, actions out.
struct OverviewNavigation: Equatable, Sendable {
    /// What the user wants.
    enum Action: Equatable, Sendable {
        /// End this program.
        case close(String)
        /// Bring the window of this program forward.
        case activate(String)
        /// End the overview.
        case quit
    }

    /// A part of the window under the pointer.
    enum Target: Equatable, Sendable {
        case tile(String)
        case closeButton(String)

        /// The program of the tile.
        var program: String {
            switch self {
            case .tile(let program), .closeButton(let program): program
            }
        }
    }

    /// The programs in the order of their tiles.
    private(set) var programs: [String] = []
    /// The size of the window, and the scale of the display.
    private(set) var size: PixelSize, scale: Double
    /// The distance in pixels by which the tiles are scrolled.
    private(set) var scroll = 0
    /// The program whose tile is selected.
    private(set) var selected: String?
    /// The part of the window under the pointer.
    private(set) var hovered: Target?
    /// The part of the window on which the button was pressed.
    private var pressed: Target?
    /// The tile that the next arrow key selects if none is selected.
    private var anchor = 0
    /// The position of the pointer; nil outside the window.
    private var pointerX: Int?, pointerY: Int?
    /// Whether the lower edge of the window shows a message.
    private var hasMessage = false

    /// Creates an empty window.
    init(size: PixelSize, scale: Double) { (self.size, self.scale) = (size, scale) }

    /// The places of the tiles.
    var layout: OverviewLayout {
        OverviewLayout(size: size, scale: scale, count: programs.count, hasMessage: hasMessage)
    }

    // MARK: Input

    /// Replaces the programs. The selected program stays selected while it exists. If it has ended, no other program is
    /// selected in its place, so that a key that is held does not close one program after the other.
    mutating func update(_ programs: [String]) {
        if self.programs.isEmpty, selected == nil { selected = programs.first }
        self.programs = programs
        if let program = selected {
            if let index = programs.firstIndex(of: program) { anchor = index } else { selected = nil }
        }
        anchor = min(anchor, max(0, programs.count - 1))
        moveScroll(to: scroll)
    }

    /// Changes the size of the window and the scale of its display.
    mutating func resize(to size: PixelSize, scale: Double) {
        (self.size, self.scale) = (size, scale)
        moveScroll(to: selectedIndex.map { layout.scroll(showing: $0, from: scroll) } ?? scroll)
    }

    /// Shows or hides the line of messages, above which the tiles are scrolled.
    mutating func setHasMessage(_ hasMessage: Bool) {
        guard self.hasMessage != hasMessage else { return }
        self.hasMessage = hasMessage
        moveScroll(to: scroll)
    }

    /// Handles a key by mpv's name.
    mutating func press(_ key: String) -> Action? {
        let columns = layout.columns
        switch key {
        case "q", "Q", "ESC": return .quit
        case "LEFT": select(by: -1)
        case "RIGHT": select(by: 1)
        case "UP": select(by: -columns)
        case "DOWN": select(by: columns)
        case "PGUP": select(by: -columns * pageRows)
        case "PGDWN": select(by: columns * pageRows)
        case "HOME": select(0)
        case "END": select(programs.count - 1)
        case "ENTER", "KP_ENTER": return selected.map(Action.activate)
        case "DEL", "KP_DEL": return selected.map(Action.close)
        default: break
        }
        return nil
    }

    /// Handles an event of the pointer.
    mutating func handle(_ event: PointerEvent) -> Action? {
        switch event {
        case .moved(let x, let y):
            (pointerX, pointerY) = (x, y)
            updateHovered()
        case .left:
            (pointerX, pointerY) = (nil, nil)
            updateHovered()
        case .pressed("WHEEL_UP", _, _): moveScroll(to: scroll - wheelStep)
        case .pressed("WHEEL_DOWN", _, _): moveScroll(to: scroll + wheelStep)
        case .pressed("MBTN_LEFT", let x, let y):
            (pointerX, pointerY) = (x, y)
            updateHovered()
            pressed = hovered
            if let program = hovered?.program { (selected, anchor) = (program, programs.firstIndex(of: program) ?? 0) }
        case .released("MBTN_LEFT", let x, let y):
            (pointerX, pointerY) = (x, y)
            updateHovered()
            defer { pressed = nil }
            // A press that ends elsewhere has no effect.
            guard let target = pressed, target == hovered else { return nil }
            switch target {
            case .tile(let program): return .activate(program)
            case .closeButton(let program): return .close(program)
            }
        case .pressed, .released: break
        }
        return nil
    }

    // MARK: Selection and scrolling

    private var selectedIndex: Int? { selected.flatMap { programs.firstIndex(of: $0) } }
    /// The number of whole rows in the window.
    private var pageRows: Int { max(1, (layout.tilesHeight - layout.margin) / layout.rowHeight) }
    /// The distance by which a step of the wheel scrolls.
    private var wheelStep: Int { max(1, min(layout.rowHeight / 2, layout.tilesHeight / 2)) }

    /// Selects the tile at a distance from the selected one. A step beyond the first or last row has no effect; a step
    /// by several rows ends there.
    private mutating func select(by distance: Int) {
        guard !programs.isEmpty else { return }
        guard let index = selectedIndex else { return select(anchor) }
        let columns = layout.columns, target = index + distance
        if programs.indices.contains(target) { return select(target) }
        guard abs(distance) >= columns, columns > 1 || abs(distance) > 1 else { return }
        let lastRow = (programs.count - 1) / columns, row = distance < 0 ? 0 : lastRow
        guard index / columns != row else { return }
        select(min(row * columns + index % columns, programs.count - 1))
    }

    /// Selects a tile and scrolls to it.
    private mutating func select(_ index: Int) {
        guard programs.indices.contains(index) else { return }
        (selected, anchor) = (programs[index], index)
        moveScroll(to: layout.scroll(showing: index, from: scroll))
    }

    private mutating func moveScroll(to scroll: Int) {
        self.scroll = layout.limited(scroll)
        updateHovered()
    }

    /// Finds the part of the window under the pointer.
    private mutating func updateHovered() {
        hovered = nil
        guard let x = pointerX, let y = pointerY else { return }
        let layout = layout
        guard let index = layout.tile(atX: x, y: y, scroll: scroll) else { return }
        let button = layout.closeButton(in: layout.rect(of: index, scroll: scroll))
        hovered = button.contains(x: x, y: y) ? .closeButton(programs[index]) : .tile(programs[index])
    }
}
