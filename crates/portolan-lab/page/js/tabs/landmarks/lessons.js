// @ts-check
// Short lessons about landmarks. Each sets up a scene on the same view. They follow the draft
// "Differential heuristics" of Red Blob Games.

/** @typedef {[number, number]} Spot x and y of a cell; the nearest free one is used */
/**
 * @typedef {object} Lesson
 * @property {string} id
 * @property {string} title
 * @property {string[]} text
 * @property {string} [map] of the gallery; the present one if absent
 * @property {[Spot, Spot]} [ends]
 * @property {Spot[]} [landmarks]
 * @property {string} [what] the colours of the map
 * @property {string} [fixed] the end that is the same for all cells
 * @property {string} [wind]
 * @property {number} [triangle] a landmark
 * @property {[number, number, number, number]} [painted] x, y, width and height of cells that changed after the landmarks were computed
 * @property {boolean} [isPainting] whether the pointer paints
 */

/** @type {Lesson[]} */
export const LESSONS = [
  {
    id: "free",
    title: "Explore",
    text: [
      "A* needs a guess of how far it still is to the goal. The better the guess, the fewer cells it expands: light blue are the cells it expands with the plain distance, dark blue those with landmarks.",
      "A landmark stores its true distance to every cell. Drag the numbered landmarks and watch the dark area. They help most behind the goal or behind the start, so that the path points at them.",
      "Click a free cell to add a landmark; Delete removes the one in focus.",
    ],
  },
  {
    id: "wind",
    title: "1 The heuristic as wind",
    map: "pocket", ends: [[18, 16], [43, 16]], landmarks: [], what: "distance", fixed: "goal", wind: "distance",
    text: [
      "A heuristic pushes a search like wind. The distance heuristic pushes straight toward the goal, because it knows nothing of walls.",
      "Blue arrows point along a shortest path, red ones do not. Inside the pocket the wind blows east and the way out is west, so A* fills the whole pocket before it leaves.",
      "Move the goal to the left of the pocket: now the wind is right nearly everywhere, and A* goes straight.",
    ],
  },
  {
    id: "perfect",
    title: "2 A perfect heuristic",
    map: "pocket", ends: [[18, 16], [43, 16]], landmarks: [[43, 16]], what: "landmarks", fixed: "goal", wind: "landmarks",
    text: [
      "Landmark 1 stands on the goal. It stores the true distance from everywhere to the goal, which is a perfect heuristic: no arrow is wrong, and A* expands little more than the path.",
      "To compute it takes longer than the search that it saves. It pays if it can be used again.",
      "Move the goal away from the landmark, step by step. The wind stays nearly right while the goal is near.",
    ],
  },
  {
    id: "reuse",
    title: "3 Using it for other goals",
    map: "caves", ends: [[55, 140], [190, 150]], landmarks: [[222, 84]], what: "reuse", fixed: "start", wind: "",
    text: [
      "The distances to landmark 1 were computed once. For which other goals are they good? On the right, every cell is taken as the goal of a path from the start.",
      "Orange cells lie on a shortest path from the start to the landmark. For them the landmark knows the distance exactly: cost(start, L) − cost(goal, L).",
      "Dark blue goals near that path are almost as good: the difference is still a lower bound. Drag the landmark and see the band swing around.",
    ],
  },
  {
    id: "triangle",
    title: "4 The triangle",
    map: "wall", ends: [[8, 8], [38, 8]], landmarks: [[45, 4]], what: "landmark-share", fixed: "goal", wind: "", triangle: 0,
    text: [
      "Start, goal and landmark form a triangle of shortest paths. No side is longer than the other two together, so the way from start to goal is at least the difference of the sides that meet at the landmark.",
      "Move the start. Behind the wall the distance heuristic is far too low. The long side of the triangle goes around the wall too, so the difference is nearly the true length.",
      "The bound is best when the landmark is behind the goal, seen from the start, or behind the start. From the side it says little: drag the landmark, and compare the numbers below.",
    ],
  },
  {
    id: "starts",
    title: "5 What one landmark adds",
    map: "caves", ends: [[30, 40], [222, 84]], landmarks: [[55, 140]], what: "gain", fixed: "goal", wind: "",
    text: [
      "For the present goal, every cell on the right is a start. The darker it is, the more the landmark raises the distance heuristic there.",
      "The distance heuristic ≤ the landmark heuristic ≤ the true distance: what is raised can never be too much. The help is on the side of the goal that is away from the landmark.",
      "Drag the landmark around the goal, and see the helped side turn.",
    ],
  },
  {
    id: "goals",
    title: "6 Which goals does it help?",
    map: "caves", ends: [[55, 140], [190, 150]], landmarks: [[222, 84]], what: "gain", fixed: "start", wind: "",
    text: [
      "The same question from the start: every cell on the right is a goal. Dark goals profit from the landmark.",
      "One landmark helps goals in its own direction, and goals in the opposite direction. It helps little sideways. That is why several are placed around the rim of a map.",
      "Add landmarks with a click until most of the map is dark, and colour by “best landmark” to see which one is responsible where.",
    ],
  },
  {
    id: "sites",
    title: "7 Where should landmarks go?",
    map: "caves", ends: [[40, 200], [220, 50]], landmarks: [], what: "sites", fixed: "goal", wind: "",
    text: [
      "Random cells were drawn as starts and goals. For every cell of the map, the colour shows how much a landmark there would raise the bounds between all of them, on average over all pairs.",
      "Good sites lie at dead ends and corners: nothing is behind them, so many paths point at them. The middle of the map is poor.",
      "Put a landmark on the best site. The colours then show what one more would add, and the best site moves to the other end of the map.",
    ],
  },
  {
    id: "strategies",
    title: "8 Placed by the library",
    map: "maze", ends: [[10, 12], [240, 150]], landmarks: [[2, 2], [253, 2], [2, 253], [253, 253]], what: "best", fixed: "goal", wind: "",
    text: [
      "A maze misleads the distance heuristic more than any other map, and landmarks help most there. Compare the numbers of cells.",
      "“Place them” uses a strategy of the library. “Compare” measures all of them on the same random paths, together with your landmarks. Can you beat them?",
      "The colours show which landmark gives the best bound where. In the grey part none is better than the plain distance.",
    ],
  },
  {
    id: "changes",
    title: "9 When the map changes",
    map: "wall", ends: [[6, 8], [42, 8]], landmarks: [[2, 2], [45, 4]], what: "excess", fixed: "goal", wind: "", painted: [24, 7, 1, 3], isPainting: true,
    text: [
      "Somebody broke a hole into the wall after the distances of the landmarks were computed. They still believe in the way around. In red cells their bound exceeds the true distance, so A* may miss the short cut: its path is drawn orange, the true one green.",
      "Now paint the hole shut. A wall that is new only makes bounds too low: A* expands more cells, and the path is right.",
      "“Compute again” makes the bounds right. It takes one search over the map for each landmark, and a game can do that in the background. Draw on the map to change it.",
    ],
  },
];
