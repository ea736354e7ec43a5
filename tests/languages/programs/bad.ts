const x: number = 1;
const y: number = 2;
const z = ;
